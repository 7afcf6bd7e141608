import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { SANDBOX_ERRORS } from "../../sandbox/src/errors.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const RECORDS = "/sandbox/dns/records";

describe("the sandbox's endpoints on the API's address", () => {
  let instance: Instance;
  let admin: ApiClient;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
  });
  after(() => instance.dispose());

  /** Stacks are made for connections that there are. @returns its id */
  const newConnection = async (givenId: string): Promise<string> =>
    (await admin.post("/v1/aws-accounts", { givenId })).body.id;

  it("take a DELETE without a body that is labelled as JSON", async () => {
    const ServiceId = await newConnection("labelled");
    assert.equal((await admin.post("/sandbox/stacks", { ServiceId })).status, 201);
    for (const path of [`/sandbox/stacks/${ServiceId}`, "/sandbox/faults"]) {
      const answer = await admin.delete(path, "");
      assert.equal(answer.status, 204, answer.text);
    }
  });

  it("return a new stack's address, which shows its state", async () => {
    const created = await admin.post("/sandbox/stacks", { ServiceId: await newConnection("placed") });
    assert.equal(created.status, 201);
    const place = created.headers.get("location") ?? "";
    const read = async () => (await admin.get(place)).body;
    const { status, ...stack } = await read();
    assert.match(status, /^CREATE_/);
    assert.deepEqual({ ...created.body, status: undefined }, { ...stack, status: undefined });
    assert.equal((await admin.delete(place)).status, 204);
    assert.deepEqual(await read(), { ...stack, status: "DELETED" });
    assertRefused(await admin.get("/sandbox/stacks/none"), 404, "NOT_FOUND");
  });

  it("refuse a body that is not labelled as JSON", async () => {
    const record = JSON.stringify({ name: "text.example.com", type: "A", values: ["192.0.2.1"] });
    const answer = await admin.put(RECORDS, record, { "content-type": "text/plain" });
    assertRefused(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
  });

  it("refuse values with a NUL or an unpaired surrogate, and store none of them", async () => {
    for (const value of [String.raw`a\u0000b`, String.raw`\ud800`]) {
      const answer = await admin.put(
        RECORDS,
        `{"name": "strict.example.com", "type": "TXT", "values": ["${value}"]}`,
      );
      assertRefused(answer, 400, "INVALID_JSON");
    }
    const { records } = (await admin.get(RECORDS)).body;
    assert.ok(!records.some(({ name }: { name: string }) => name === "strict.example.com"));
  });

  it("refuse with the request id of the answer's header, which is also in the log", async () => {
    const answer = await admin.delete("/sandbox/stacks/none");
    assertRefused(answer, 404, "NOT_FOUND");
    assert.equal(answer.body.requestId, answer.headers.get("x-request-id"));
    await until(
      () => instance.logged().includes(`"requestId":"${answer.body.requestId}"`),
      "the log has the request",
    );
  });

  it("refuse with types that lead to a page", async () => {
    const name = "page.example.com";
    await admin.put(RECORDS, { name, type: "A", values: ["192.0.2.1"] });
    const ServiceId = await newConnection("twice");
    await admin.post("/sandbox/stacks", { ServiceId });
    for (const [answer, status, code] of [
      [
        await admin.put(RECORDS, { name, type: "CNAME", values: ["other.example.com"] }),
        409,
        "RECORD_CONFLICT",
      ],
      [await admin.post("/sandbox/stacks", { ServiceId }), 409, "STACK_EXISTS"],
      [await admin.delete("/sandbox/stacks/none"), 404, "NOT_FOUND"],
      [await admin.get("/sandbox/none"), 404, "ROUTE_NOT_FOUND"],
      [await admin.put(RECORDS, {}), 400, "INVALID_REQUEST"],
      [await admin.put(RECORDS, "{"), 400, "INVALID_JSON"],
    ] as const) {
      assertRefused(answer, status, code);
      // By a browser, which has no key.
      const page = await fetch(new URL(answer.body.type, instance.url));
      assert.equal(page.status, 200, code);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      const home = code in SANDBOX_ERRORS ? "/sandbox/errors" : "/docs/errors";
      assert.equal(answer.body.type, `${home}/${code}`);
      const index = await (await fetch(new URL(home, instance.url))).text();
      assert.ok(index.includes(`href="${home}/${code}"`), code);
    }
    const none = await admin.get("/sandbox/errors/NO_SUCH_CODE");
    assertRefused(none, 404, "ROUTE_NOT_FOUND");
  });
});
