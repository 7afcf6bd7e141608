/** Calls of the SDK against real servers that fail, hesitate and lead astray. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { inspect } from "node:util";
import {
  AbortedError,
  ApiError,
  ConnectionError,
  RedirectError,
  Slipway,
  SlipwayError,
  TimeoutError,
} from "../../sdk/src/index.ts";
import { json, refuse, type SmallServer, startSmallServer, TOKEN } from "./small-server.ts";

const USER = { id: "user_1", name: "Ada" };
const NEW_USER = { email: "ada@example.com", name: "Ada", role: "viewer" } as const;
const AT_ONCE = { "retry-after": "0" };

describe("a call", () => {
  let server: SmallServer;
  let slipway: Slipway;
  beforeEach(async () => {
    server = await startSmallServer();
    slipway = server.client();
  });
  afterEach(() => server.close());

  it("sends the token, the ids, the query and the body, and gives the answer with its headers", async () => {
    server.answer = (response) =>
      json(response, 200, USER, { etag: '"a"', "x-request-id": "req-2", "idempotent-replayed": "true" });
    const answer = await slipway.users
      .update("user/1", { name: "Ada" }, { ifMatch: '"z"', headers: { "x-own": "1" } })
      .withResponse();
    const { data, etag, requestId, replayed, response } = answer;
    assert.deepEqual(
      { data, etag, requestId, replayed },
      { data: USER, etag: '"a"', requestId: "req-2", replayed: true },
    );
    assert.equal(response.status, 200);
    const [sent] = server.sent;
    assert.equal(`${sent?.method} ${sent?.url}`, "PATCH /v1/users/user%2F1");
    assert.equal(sent?.headers.authorization, `Bearer ${TOKEN}`);
    assert.equal(sent.headers["if-match"], '"z"');
    assert.equal(sent.headers["x-own"], "1");
    assert.deepEqual(JSON.parse(sent.body), { name: "Ada" });
    await slipway.deployments.list({ limit: 1, status: "SUCCESS", branch: undefined });
    assert.equal(server.sent[1]?.url, "/v1/deployments?limit=1&status=SUCCESS");
    assert.equal(server.sent[1]?.headers["idempotency-key"], undefined);
  });

  it("keeps a path of its address, and any request can be made", async () => {
    const below = server.client({ url: `${server.url}/slipway/` });
    await below.request("post", "/sandbox/faults?x=1", { body: { a: 1 } });
    assert.equal(server.sent[0]?.url, "/slipway/sandbox/faults?x=1");
    assert.equal(server.sent[0]?.method, "POST");
    server.answer = (response) => void response.writeHead(204).end();
    assert.equal(await slipway.request("DELETE", "/v1/x"), undefined);
    server.answer = (response) => void response.writeHead(200, { "content-type": "text/plain" }).end("text");
    assert.equal(await slipway.request("GET", "/metrics", { headers: { accept: "text/plain" } }), "text");
  });

  it("is tried again with the same Idempotency-Key, another call has another", async () => {
    server.answer = (response, _sent, before) => {
      if (before === 0) refuse(response, 503, "OVERLOADED", AT_ONCE);
      else if (before === 1) refuse(response, 409, "IDEMPOTENCY_KEY_IN_PROGRESS", AT_ONCE);
      else json(response, 201, USER);
    };
    assert.deepEqual(await slipway.users.create(NEW_USER), USER);
    await slipway.users.create(NEW_USER);
    await slipway.users.create(NEW_USER, { idempotencyKey: "mine" });
    const keys = server.sent.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(keys.length, 5);
    assert.equal(new Set(keys.slice(0, 3)).size, 1);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
    assert.notEqual(keys[3], keys[0]);
    assert.equal(keys[4], "mine");
  });

  it("is tried again after a connection that broke, before and in the middle of the answer", async () => {
    server.answer = (response, _sent, before) => {
      if (before === 0) response.destroy();
      else if (before === 1) {
        response.writeHead(200, { "content-length": "100" }).write('{"half":');
        setImmediate(() => response.destroy());
      } else json(response, 200, USER);
    };
    assert.deepEqual(await slipway.users.get("user_1"), USER);
    assert.equal(server.sent.length, 3);
  });

  it("gives up after its retries, with the last error", async () => {
    server.answer = (response) => refuse(response, 503, "OVERLOADED", AT_ONCE);
    const error = await failed(slipway.users.get("user_1", { maxRetries: 4 }));
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, "OVERLOADED");
    assert.equal(server.sent.length, 5);
    await failed(server.client({ maxRetries: 0 }).users.get("user_1"));
    assert.equal(server.sent.length, 6);
  });

  it("reports the whole problem, and does not repeat what stays refused", async () => {
    server.answer = (response) =>
      json(response, 400, {
        code: "INVALID_REQUEST",
        detail: "/name: is required",
        requestId: "req-3",
        errors: [{ path: "/name", code: "REQUIRED", message: "is required" }],
        extra: 1,
      });
    const error = await failed(slipway.users.create(NEW_USER));
    assert.ok(error instanceof ApiError);
    const { status, code, detail, errors, requestId, retryAfter, problem } = error;
    assert.deepEqual(
      [status, code, detail, requestId, retryAfter],
      [400, "INVALID_REQUEST", "/name: is required", "req-3", null],
    );
    assert.deepEqual(errors, [{ path: "/name", code: "REQUIRED", message: "is required" }]);
    assert.equal(problem["extra"], 1);
    assert.equal(server.sent.length, 1);
    server.answer = (response) => refuse(response, 503, "OVERLOADED", { "retry-after": "61" });
    const busy = await failed(slipway.users.get("user_1"));
    assert.equal((busy as ApiError).retryAfter, 61);
    assert.equal(server.sent.length, 2);
  });

  it("names the status of what is not Slipway's, and refuses a page for an answer", async () => {
    server.answer = (response) => void response.writeHead(404).end("<html>");
    const error = await failed(slipway.me.get());
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.requestId], [404, null, null]);
    server.answer = (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    const page = await failed(server.client({ maxRetries: 0 }).me.get());
    assert.match(page.message, /not JSON, but text\/html/);
  });

  it("ends a try after its time, and the call after its deadline", async () => {
    server.answer = () => undefined;
    const late = await failed(slipway.me.get({ timeout: 500, maxRetries: 1 }));
    assert.ok(late instanceof TimeoutError, String(late));
    assert.equal(server.sent.length, 2);
    const over = await failed(slipway.me.get({ deadline: 500, maxRetries: 1_000 }));
    assert.ok(over instanceof TimeoutError, String(over));
    assert.equal(server.sent.length, 3);
  });

  it("ends at once when it is aborted: before, while it waits for an answer, and between tries", async () => {
    const stopped = await failed(slipway.me.get({ signal: AbortSignal.abort(new Error("why")) }));
    assert.ok(stopped instanceof AbortedError);
    assert.equal((stopped.cause as Error).message, "why");
    assert.equal(server.sent.length, 0);
    for (const answer of [() => undefined, refuseAndWait])
      for (const ofClient of [false, true]) {
        const ending = new AbortController();
        server.answer = (response) => {
          answer(response);
          setImmediate(() => ending.abort());
        };
        const { signal } = ending;
        const call = ofClient ? server.client({ signal }).me.get() : slipway.me.get({ signal });
        assert.ok((await failed(call)) instanceof AbortedError);
      }
    assert.equal(server.sent.length, 4);
  });

  it("sends nothing to where a redirect leads", async () => {
    const elsewhere = await startSmallServer();
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        server.answer = (response) =>
          void response.writeHead(status, { location: `${elsewhere.url}/v1/users` }).end();
        const error = await failed(slipway.users.create(NEW_USER));
        assert.ok(error instanceof RedirectError, String(error));
        assert.ok(error.message.includes(elsewhere.url));
      }
      assert.equal(elsewhere.sent.length, 0);
    } finally {
      await elsewhere.close();
    }
  });

  it("stays at its address, whatever the ids and paths are", async () => {
    for (const id of ["", ".", ".."]) assert.throws(() => slipway.users.get(id), /is not an id/);
    await slipway.users.get("../../x?y#z");
    assert.equal(server.sent[0]?.url, "/v1/users/..%2F..%2Fx%3Fy%23z");
    for (const path of ["@127.0.0.2/", "https://127.0.0.2/", "x", ""])
      await assert.rejects(async () => await slipway.request("GET", path), TypeError);
    await slipway.request("GET", "//127.0.0.2/x");
    assert.equal(server.sent[1]?.url, "//127.0.0.2/x");
  });

  it("reports that no server answers", async () => {
    await server.close();
    const error = await failed(server.client({ maxRetries: 0 }).me.get());
    assert.ok(error instanceof ConnectionError);
    assert.match(error.message, /does not answer: .*ECONNREFUSED/);
    server = await startSmallServer();
  });

  it("can be awaited, caught and ended like any promise", async () => {
    server.answer = (response) => json(response, 200, USER);
    assert.deepEqual(await Promise.all([slipway.users.get("a"), slipway.users.get("b")]), [USER, USER]);
    let ends = 0;
    await slipway.users.get("a").finally(() => (ends += 1));
    server.answer = (response) => refuse(response, 404, "NOT_FOUND");
    assert.equal(await slipway.users.get("a").catch(() => "caught"), "caught");
    assert.equal(ends, 1);
  });
});

describe("a client", () => {
  it("does not show its token, nor do its errors and its log", async () => {
    const server = await startSmallServer();
    try {
      const lines: string[] = [];
      const slipway = server.client({ logger: { debug: (line) => lines.push(line) }, maxRetries: 1 });
      server.answer = (response) => refuse(response, 503, "OVERLOADED", AT_ONCE);
      const refused = await failed(slipway.users.create(NEW_USER));
      const redirected = server.client();
      server.answer = (response) => void response.writeHead(302, { location: "/x" }).end();
      const errors = [refused, await failed(redirected.me.get())];
      const shown = [
        inspect(slipway, { depth: 9, showHidden: true }),
        inspect(slipway.users, { depth: 9, showHidden: true }),
        JSON.stringify({ slipway, users: slipway.users }),
        ...errors.map((error) => inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)),
        ...lines,
      ].join("\n");
      assert.ok(!shown.includes(TOKEN), shown);
      assert.ok(shown.includes(`Slipway { url: "${server.url}" }`));
      assert.ok(lines.some((line) => line.includes("answered 503")));
      assert.ok(!lines.join("").includes("ada@example.com"));
    } finally {
      await server.close();
    }
  });

  it("refuses an address and a token that cannot be one, without showing the token", () => {
    for (const url of [
      "",
      "slipway.example.com",
      "ftp://x",
      "https://user:pass@x",
      "https://x/?a=1",
      "https://x/#a",
    ])
      assert.throws(() => new Slipway({ url, token: TOKEN }), /^TypeError: url must/);
    for (const token of ["", "with space", "line\nbreak", "ünicode"])
      assert.throws(
        () => new Slipway({ url: "https://x", token }),
        (error: Error) => error instanceof TypeError && (token === "" || !error.message.includes(token)),
      );
  });

  it("uses the fetch that it is given", async () => {
    const asked: string[] = [];
    const slipway = new Slipway({
      url: "https://slipway.example.com",
      token: TOKEN,
      fetch: async (address) => {
        asked.push(address as string);
        return await Promise.resolve(Response.json(USER));
      },
    });
    assert.deepEqual(await slipway.users.get("user_1"), USER);
    assert.deepEqual(asked, ["https://slipway.example.com/v1/users/user_1"]);
  });
});

function refuseAndWait(response: Parameters<typeof refuse>[0]): void {
  refuse(response, 503, "OVERLOADED", { "retry-after": "50" });
}

async function failed(call: PromiseLike<unknown>): Promise<SlipwayError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof SlipwayError) return error;
    throw error;
  }
  throw new Error("The call did not fail.");
}
