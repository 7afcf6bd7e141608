import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freePort } from "../../test/helpers/free-port.ts";
import { type ForwardedPaths, HOST_PATHS, registerSandboxRoutes, SANDBOX_PATHS } from "./sandbox-routes.ts";
import { createTestServer } from "./testing.ts";

async function start(paths: ForwardedPaths) {
  const app = await createTestServer();
  await registerSandboxRoutes(app, {
    paths,
    sandboxUrl: `http://127.0.0.1:${await freePort()}`,
    secret: null,
    authenticate: () => Promise.resolve(),
    connections: { ownerOf: () => Promise.resolve(null), list: () => Promise.resolve([]) },
    audit: () => Promise.resolve(),
  });
  return app;
}

describe("the small cloud's endpoints on the API's address", () => {
  for (const [paths, url, name] of [
    [SANDBOX_PATHS, "/sandbox/ca.pem", "sandbox"],
    [HOST_PATHS, "/host/connect?param_ServiceId=aws_1", "edge of this server"],
  ] as const) {
    it(`report that the ${name} is away, and when to retry`, async () => {
      const app = await start(paths);
      const answer = await app.inject({ url });
      assert.equal(answer.statusCode, 503);
      assert.equal(answer.json().code, "CLOUD_UNAVAILABLE");
      assert.match(answer.json().detail, new RegExp(`^The ${name} does not answer`));
      assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
      await app.close();
    });
  }

  it("are only the endpoints for clients", async () => {
    const app = await start(HOST_PATHS);
    for (const url of [
      "/host/",
      "/host/other",
      "/host/connect/../other",
      "/host/%2e%2e/cloud/x",
      "/sandbox/ca.pem",
    ]) {
      const answer = await app.inject({ url });
      assert.equal(answer.statusCode, 404, url);
    }
    await app.close();
  });
});
