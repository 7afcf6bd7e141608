import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freePort } from "../../test/helpers/free-port.ts";
import { createLogger } from "../lib/log.ts";
import { composeErrorCatalogue } from "./problems/error-catalogue.ts";
import { registerSandboxRoutes } from "./sandbox-routes.ts";
import { createServer } from "./server.ts";

describe("the sandbox's endpoints on the API's address", () => {
  it("report that the sandbox is away, and when to retry", async () => {
    const app = await createServer({
      catalogue: composeErrorCatalogue({ address: "/docs/errors", errors: [], faults: [] }),
      log: createLogger("silent"),
      publicUrl: "http://127.0.0.1:1",
      trustedProxies: [],
      webhooks: [],
      isSecure: false,
      onServed: () => undefined,
    });
    await registerSandboxRoutes(app, {
      sandboxUrl: `http://127.0.0.1:${await freePort()}`,
      secret: null,
      authenticate: () => Promise.resolve(),
      connections: { ownerOf: () => Promise.resolve(null), list: () => Promise.resolve([]) },
      audit: () => Promise.resolve(),
    });
    const answer = await app.inject({ url: "/sandbox/ca.pem" });
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json().code, "CLOUD_UNAVAILABLE");
    assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
    await app.close();
  });
});
