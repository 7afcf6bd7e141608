import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { type RawAnswer, rawRequest, sendRaw } from "../helpers/raw-http.ts";

const AUTHORIZATION = { authorization: `Bearer ${ADMIN_KEY}` };
const JSON_TYPE = { "content-type": "application/json" };

describe("a request", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const post = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) => {
    const length = { "content-length": String(Buffer.byteLength(body)) };
    return sendRaw(
      instance.url,
      rawRequest("POST /v1/aws-accounts", { ...AUTHORIZATION, ...length, ...headers }, body),
    );
  };

  /** Every refusal, however early, is a whole problem document with a request id. */
  const assertProblem = (answer: RawAnswer, status: number, code: string): { detail: string } => {
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.headers["content-type"] ?? "", /^application\/problem\+json/);
    const problem = JSON.parse(answer.text);
    assert.equal(problem.code, code, answer.text);
    assert.equal(problem.status, status);
    assert.equal(problem.type, `/docs/errors/${code}`);
    assert.equal(problem.requestId, answer.headers["x-request-id"]);
    assert.match(problem.requestId, /^[0-9a-f-]{36}$/);
    return problem;
  };

  const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const jsonRefusals: Readonly<Record<string, string | Uint8Array>> = {
    "that does not parse": '{"givenId": "a"',
    "that is empty": "",
    "that names a member twice": '{"givenId": "a", "givenId": "b"}',
    "that names a member twice further in": '{"givenId": "a", "more": [{"x": 1, "x": 1}]}',
    "that hides a member twice behind an escape": String.raw`{"givenId": "a", "given\u0049d": "b"}`,
    "that nests eleven deep": `{"givenId": ${deep(10)}}`,
    "that nests a hundred thousand deep": deep(100_000),
    "with an escaped NUL": String.raw`{"givenId": "a\u0000b"}`,
    "with a NUL in a name": String.raw`{"a\u0000b": 1}`,
    "with half of a surrogate pair": String.raw`{"givenId": "\ud800"}`,
    "that is not UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    "that begins with a byte order mark": Buffer.from('\uFEFF{"givenId": "a"}'),
  };
  for (const [what, body] of Object.entries(jsonRefusals)) {
    it(`with a body ${what} is refused as INVALID_JSON`, async () => {
      const { detail } = assertProblem(await post(body), 400, "INVALID_JSON");
      assert.ok(detail.length > 10);
    });
  }

  it("never has its values repeated in a refusal of its syntax", async () => {
    const { text } = await post('{"token": "very-secret-value", oops}');
    assert.ok(!text.includes("very-secret"), text);
  });

  it("has every fault of its body reported at once, each by name", async () => {
    const answer = await post(
      JSON.stringify({ name: 7, "gi/ven~Id": "x", constructor: 1, extra: [1], ["__proto__"]: {} }),
    );
    assertProblem(answer, 400, "INVALID_REQUEST");
    const faults = JSON.parse(answer.text).errors.map((one: { path: string; code: string }) => [
      one.path,
      one.code,
    ]);
    assert.deepEqual(faults.sort(), [
      ["/__proto__", "UNKNOWN_FIELD"],
      ["/constructor", "UNKNOWN_FIELD"],
      ["/extra", "UNKNOWN_FIELD"],
      ["/givenId", "REQUIRED"],
      ["/gi~1ven~0Id", "UNKNOWN_FIELD"],
      ["/name", "WRONG_TYPE"],
    ]);
  });

  it("has the faults of its body, its query and its headers reported together", async () => {
    const send = (path: string, body: object, key: string) =>
      instance.admin.post(path, body, { "idempotency-key": key });
    const ofHeaders = "headers/idempotency-key TOO_SMALL";
    const all = await send("/v1/aws-accounts?dryRun=true", { givenId: 7 }, "");
    assert.deepEqual(assertRefused(all, 400, "INVALID_REQUEST"), [
      "/givenId WRONG_TYPE",
      ofHeaders,
      "query/dryRun UNKNOWN_FIELD",
    ]);
    const withoutBody = await send("/v1/aws-accounts?dryRun=true", { givenId: "dry" }, "");
    assert.deepEqual(assertRefused(withoutBody, 400, "INVALID_REQUEST"), [
      ofHeaders,
      "query/dryRun UNKNOWN_FIELD",
    ]);
    const rules = await send(
      "/v1/git-integrations?dryRun=true",
      { provider: "provider_b_self_hosted", token: "any" },
      "new",
    );
    assert.deepEqual(assertRefused(rules, 400, "INVALID_REQUEST"), [
      "/host REQUIRED",
      "query/dryRun UNKNOWN_FIELD",
    ]);
  });

  it("that sets __proto__ is refused, not silently stripped", async () => {
    const answer = await post('{"givenId": "proto", "__proto__": {"name": "x"}}');
    assertProblem(answer, 400, "INVALID_REQUEST");
    assert.match(answer.text, /__proto__/);
  });

  it("without a required body is refused", async () => {
    const answer = await sendRaw(
      instance.url,
      rawRequest("POST /v1/aws-accounts", { ...AUTHORIZATION, "content-length": "0" }),
    );
    assertProblem(answer, 400, "INVALID_REQUEST");
    assert.match(answer.text, /required as the body/);
  });

  it("of another media type, or of none, is refused with 415", async () => {
    const body = '{"givenId": "typed"}';
    const types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json", "x"];
    for (const type of types)
      assertProblem(await post(body, { "content-type": type }), 415, "UNSUPPORTED_MEDIA_TYPE");
    assertProblem(await post(body, {}), 415, "UNSUPPORTED_MEDIA_TYPE");
    const withCharset = await post(body, { "content-type": "Application/JSON; charset=utf-8" });
    assert.equal(withCharset.status, 201, withCharset.text);
  });

  it("larger than 1 MiB is refused with 413, by its length or as it comes", async () => {
    const large = JSON.stringify({ givenId: "x".repeat(1_048_576) });
    assertProblem(await post(large), 413, "BODY_TOO_LARGE");
    const chunked = rawRequest(
      "POST /v1/aws-accounts",
      { ...AUTHORIZATION, ...JSON_TYPE, "transfer-encoding": "chunked" },
      `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
    );
    assertProblem(await sendRaw(instance.url, chunked), 413, "BODY_TOO_LARGE");
  });

  it("that is a DELETE labelled as JSON with an empty body, or with {}, is served", async () => {
    for (const body of ["", "{}"]) {
      const created = await instance.admin.post("/v1/aws-accounts", { givenId: "deleted" });
      const deleted = await instance.admin.delete(`/v1/aws-accounts/${created.body.id}`, body, JSON_TYPE);
      assert.equal(deleted.status, 204, JSON.stringify(deleted.body));
    }
  });

  it("with an unexpected body is refused by name", async () => {
    const answer = await instance.admin.delete("/v1/aws-accounts/none", { force: true });
    assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), ["/force UNKNOWN_FIELD"]);
    const list = await instance.admin.delete("/v1/aws-accounts/none", [1]);
    assertRefused(list, 400, "INVALID_REQUEST");
  });

  it("with unknown or wrong query parameters is refused by name, on reads and writes", async () => {
    const read = await instance.admin.get("/v1/users?limit=0&lmit=3&curzor=x");
    assert.deepEqual(assertRefused(read, 400, "INVALID_REQUEST"), [
      "query/curzor UNKNOWN_FIELD",
      "query/limit TOO_SMALL",
      "query/lmit UNKNOWN_FIELD",
    ]);
    for (const query of ["limit=101", "limit=abc", "limit=", "limit=1.5", "limit=1&limit=2", "__proto__=1"])
      assertRefused(await instance.admin.get(`/v1/users?${query}`), 400, "INVALID_REQUEST");
    const write = await instance.admin.post("/v1/aws-accounts?dryRun=true", { givenId: "dry" });
    assert.deepEqual(assertRefused(write, 400, "INVALID_REQUEST"), ["query/dryRun UNKNOWN_FIELD"]);
    assertRefused(await instance.admin.get("/v1/users/x?a=b"), 400, "INVALID_REQUEST");
  });

  it("for a path that does not exist is 404, whatever its body", async () => {
    assertRefused(await instance.admin.get("/v1/nothing"), 404, "ROUTE_NOT_FOUND");
    // A client that lost an id, or added a slash, should not look for a missing resource.
    for (const path of ["/healthz/", "/v1/users/", "/v1/projects//environments"]) {
      const missing = await instance.admin.get(path);
      assertRefused(missing, 404, "ROUTE_NOT_FOUND");
      assert.equal(missing.body.detail.includes("Remove the trailing slash."), path.endsWith("/"), path);
    }
    assertRefused(await instance.admin.delete("/v1/users/"), 404, "ROUTE_NOT_FOUND");
    const answer = await sendRaw(
      instance.url,
      rawRequest("POST /v1/nothing", { "content-type": "text/plain", "content-length": "2" }, "hi"),
    );
    assertProblem(answer, 404, "ROUTE_NOT_FOUND");
  });

  it("by a method that the path does not have is 405 with Allow, whatever its body", async () => {
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"]) {
      const answer = await sendRaw(
        instance.url,
        rawRequest(`${method} /v1/users`, { "content-type": "text/plain", "content-length": "2" }, "hi"),
      );
      assertProblem(answer, 405, "METHOD_NOT_ALLOWED");
      assert.deepEqual(answer.headers["allow"]?.split(", ").sort(), ["GET", "HEAD", "POST"]);
    }
    const untyped = await sendRaw(instance.url, rawRequest("QUERY /v1/users", AUTHORIZATION));
    assertProblem(untyped, 405, "METHOD_NOT_ALLOWED");
    const sandbox = await instance.admin.patch("/sandbox/faults", {});
    assertRefused(sandbox, 405, "METHOD_NOT_ALLOWED");
  });

  it("by HEAD gets the headers of GET and no body", async () => {
    const get = await sendRaw(instance.url, rawRequest("GET /v1/users", AUTHORIZATION));
    const head = await sendRaw(instance.url, rawRequest("HEAD /v1/users", AUTHORIZATION));
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    assert.equal(head.headers["etag"], get.headers["etag"]);
    assert.equal(head.headers["content-length"], get.headers["content-length"]);
  });

  it("with a NUL or a broken escape in its address is refused", async () => {
    for (const path of ["/v1/users/a%00b", "/v1/users/%zz", "/v1/users?cursor=%00", "/v1/users/%ff"]) {
      const answer = await sendRaw(instance.url, rawRequest(`GET ${path}`, AUTHORIZATION));
      assertProblem(answer, 400, "INVALID_REQUEST");
    }
  });

  it("with an id longer than any id is answered like a missing one", async () => {
    const answer = await sendRaw(
      instance.url,
      rawRequest(`GET /v1/users/${"x".repeat(4_000)}`, AUTHORIZATION),
    );
    assert.equal(answer.status, 404);
    assertProblem(answer, 404, JSON.parse(answer.text).code);
  });

  it("that Node cannot read is answered with a problem document too", async () => {
    const cases: readonly [string, number, string][] = [
      ["nonsense\r\n\r\n", 400, "INVALID_REQUEST"],
      ["GET / HTTP/9.9\r\n\r\n", 400, "INVALID_REQUEST"],
      ["GET / HTTP/1.1\r\nbad header\r\n\r\n", 400, "INVALID_REQUEST"],
      ["GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n", 400, "INVALID_REQUEST"],
      [`GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
      ["GET /v1/users HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "INVALID_REQUEST"],
      [
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
        "INVALID_REQUEST",
      ],
    ];
    for (const [bytes, status, code] of cases)
      assertProblem(await sendRaw(instance.url, bytes), status, code);
  });

  it("with an expectation is served", async () => {
    const body = '{"givenId": "expected"}';
    const answer = await post(body, { ...JSON_TYPE, expect: "100-continue" });
    assert.equal(answer.status, 100, "the interim answer comes first");
    assert.match(answer.text, /^HTTP\/1.1 201/);
    const unknown = await sendRaw(
      instance.url,
      rawRequest("GET /v1/users", { ...AUTHORIZATION, expect: "wonders" }),
    );
    assert.equal(unknown.status, 200);
  });

  it("carries its key in any of the accepted forms", async () => {
    const accepted = ["Bearer KEY", "bearer KEY", "BEARER   KEY ", "Bearer: KEY", "bearer :KEY"];
    for (const form of accepted) {
      const headers = { authorization: form.replace("KEY", ADMIN_KEY) };
      const answer = await sendRaw(instance.url, rawRequest("GET /v1/users", headers));
      assert.equal(answer.status, 200, form);
    }
  });

  it("without a valid key is 401 with instructions, before its body is read", async () => {
    const refused = ["", ADMIN_KEY, `Basic ${ADMIN_KEY}`, "Bearer", "Bearer ", "Bearer a b", "Bearer nope"];
    const details = new Set<string>();
    for (const form of [...refused, `Bearer ${"x".repeat(5_000)}`, "Bearer schlüssel"]) {
      const answer = await post("not json", { authorization: form, "content-type": "text/plain" });
      details.add(assertProblem(answer, 401, "UNAUTHENTICATED").detail);
      assert.equal(answer.headers["www-authenticate"], 'Bearer realm="slipway"');
    }
    assert.equal(details.size, 1, "all faults of keys get the same answer");
    const none = await sendRaw(instance.url, rawRequest("GET /v1/users", {}));
    assertProblem(none, 401, "UNAUTHENTICATED");
  });

  it("that was served is logged with its id and its route, never with its key", async () => {
    const answer = await instance.admin.post("/v1/aws-accounts", { givenId: "logged" });
    const requestId = answer.headers.get("x-request-id") ?? "none";
    const lines = instance
      .logged()
      .split("\n")
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 1);
    const { method, path, status } = lines[0];
    assert.deepEqual({ method, path, status }, { method: "POST", path: "/v1/aws-accounts", status: 201 });
    assert.ok(!instance.logged().includes(ADMIN_KEY));
  });
});
