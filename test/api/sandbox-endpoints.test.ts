import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const RECORDS = "/sandbox/dns/records";

describe("the sandbox's endpoints on the API's address", () => {
  let instance: Instance;
  let admin: ApiClient;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
  });
  after(() => instance.dispose());

  it("refuse with types that lead to a page", async () => {
    const name = "page.example.com";
    await admin.put(RECORDS, { name, type: "A", values: ["192.0.2.1"] });
    await admin.post("/sandbox/stacks", { ServiceId: "twice" });
    for (const [answer, status, code] of [
      [
        await admin.put(RECORDS, { name, type: "CNAME", values: ["other.example.com"] }),
        409,
        "RECORD_CONFLICT",
      ],
      [await admin.post("/sandbox/stacks", { ServiceId: "twice" }), 409, "STACK_EXISTS"],
      [await admin.delete("/sandbox/stacks/none"), 404, "NOT_FOUND"],
      [await admin.get("/sandbox/none"), 404, "ROUTE_NOT_FOUND"],
      [await admin.put(RECORDS, {}), 400, "INVALID_REQUEST"],
      [await admin.put(RECORDS, "{"), 400, "INVALID_JSON"],
    ] as const) {
      assertRefused(answer, status, code);
      const page = await admin.get(answer.body.type);
      assert.equal(page.status, 200, code);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    }
  });
});
