/** Lists, watched resources and streams of the SDK, against a real server that breaks off. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  AbortedError,
  ApiError,
  type Slipway,
  WaitFailedError,
  WaitTimeoutError,
} from "../../sdk/src/index.ts";
import { json, refuse, type SmallServer, startSmallServer } from "./small-server.ts";

describe("following", () => {
  let server: SmallServer;
  let slipway: Slipway;
  beforeEach(async () => {
    server = await startSmallServer();
    slipway = server.client();
  });
  afterEach(() => server.close());

  describe("a list", () => {
    const PAGES: Readonly<Record<string, object>> = {
      "": { users: [{ id: "a" }, { id: "b" }], nextCursor: "1" },
      "1": { users: [], nextCursor: "2" },
      "2": { users: [{ id: "c" }], nextCursor: null },
    };
    beforeEach(() => {
      server.answer = (response, { url }) =>
        json(response, 200, PAGES[new URL(url, server.url).searchParams.get("cursor") ?? ""], {
          etag: '"1"',
        });
    });

    it("gives every item, through empty pages, with the same query", async () => {
      const ids: string[] = [];
      for await (const { id } of slipway.users.list({ limit: 2, order: "desc" })) ids.push(id);
      assert.deepEqual(ids, ["a", "b", "c"]);
      assert.deepEqual(
        server.sent.map(({ url }) => url),
        ["", "&cursor=1", "&cursor=2"].map((more) => `/v1/users?limit=2&order=desc${more}`),
      );
    });

    it("gives its pages, and asks for no more than are read", async () => {
      const list = slipway.users.list();
      assert.equal(server.sent.length, 0);
      for await (const { users } of list.pages()) if (users.length === 0) break;
      assert.equal(server.sent.length, 2);
    });

    it("is its first page when it is awaited", async () => {
      const { users, nextCursor } = await slipway.users.list();
      assert.deepEqual([users.length, nextCursor], [2, "1"]);
      assert.equal((await slipway.users.list().withResponse()).etag, '"1"');
    });
  });

  describe("a watched resource", () => {
    const domain = (status: string) => ({ id: "dom_1", status });
    const held = (index: number) => [
      server.sent[index]?.headers["if-none-match"],
      server.sent[index]?.headers.prefer,
    ];

    it("is given as it is, and when it has changed, through an outage", async () => {
      server.answer = (response, _sent, before) => {
        if (before === 0) json(response, 200, domain("PENDING"), { etag: '"0"' });
        else if (before === 1) response.destroy();
        else if (before < 5) refuse(response, 503, "DATABASE_UNAVAILABLE", { "retry-after": "0" });
        else json(response, 200, domain("ATTACHED"), { etag: '"1"' });
      };
      const seen: string[] = [];
      for await (const { status } of slipway.domains.watch("dom_1")) {
        seen.push(status);
        if (status === "ATTACHED") break;
      }
      assert.deepEqual(seen, ["PENDING", "ATTACHED"]);
      assert.deepEqual(held(0), [undefined, undefined]);
      assert.deepEqual(held(5), ['"0"', "wait=25"]);
    });

    it("does not ask more than once a second when the server does not hold the read", async () => {
      const times: number[] = [];
      server.answer = (response, _sent, before) => {
        times.push(performance.now());
        if (before === 0) json(response, 200, domain("PENDING"), { etag: '"0"' });
        else if (before === 1) response.writeHead(304).end();
        else json(response, 200, domain("ATTACHED"), { etag: '"1"' });
      };
      await slipway.domains.waitUntil("dom_1", "ATTACHED");
      assert.ok((times[2] ?? 0) - (times[1] ?? 0) >= 990, String(times));
    });

    it("ends with an error if it cannot be read at first, or is deleted", async () => {
      await server.close();
      await assert.rejects(server.client({ maxRetries: 0 }).domains.watch("dom_1").next(), /does not answer/);
      server = await startSmallServer();
      server.answer = (response) => refuse(response, 404, "NOT_FOUND");
      await assert.rejects(server.client().domains.watch("dom_1").next(), ApiError);
    });

    it("is waited for: what comes, what cannot come any more, and what does not come in time", async () => {
      const states = ["PENDING", "CREATING", "ATTACHING"];
      const next = (last: string) => {
        let at = 0;
        server.answer = (response) => {
          json(response, 200, domain(states[at] ?? last), { etag: `"${Math.min(at, states.length)}"` });
          at += 1;
        };
      };
      next("ATTACHED");
      const seen: string[] = [];
      const onChange = ({ status }: { status: string }): void => void seen.push(status);
      const attached = await slipway.domains.waitUntil("dom_1", "ATTACHED", { onChange });
      assert.equal(attached.status, "ATTACHED");
      assert.deepEqual(seen, [...states, "ATTACHED"]);

      next("ATTACHED");
      // The domain was past this status before the client read it.
      const past = await slipway.domains.waitUntil("dom_1", "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
      assert.equal(past.status, "ATTACHING");

      for (const end of ["ERROR_ATTACHING", "DETACHING"]) {
        next(end);
        const error: unknown = await slipway.domains
          .waitUntil("dom_1", "ATTACHED")
          .catch((thrown: unknown) => thrown);
        assert.ok(error instanceof WaitFailedError, String(error));
        assert.deepEqual(error.last, domain(end));
      }

      server.answer = (response, { headers }) => {
        if (headers["if-none-match"] === undefined) json(response, 200, domain("PENDING"), { etag: '"0"' });
      };
      const late: unknown = await slipway.domains
        .waitUntil("dom_1", "ATTACHED", { timeout: 1_000 })
        .catch((thrown: unknown) => thrown);
      assert.ok(late instanceof WaitTimeoutError, String(late));
      assert.deepEqual(late.last, domain("PENDING"));

      const ending = new AbortController();
      const stopped = slipway.domains.waitUntil("dom_1", "ATTACHED", {
        signal: ending.signal,
        onChange: () => ending.abort(),
      });
      await assert.rejects(stopped, AbortedError);
    });

    it("is waited for until it is deleted", async () => {
      server.answer = (response, _sent, before) =>
        before === 0
          ? json(response, 200, domain("DETACHING"), { etag: '"0"' })
          : refuse(response, 404, "NOT_FOUND");
      await slipway.domains.waitUntilDeleted("dom_1");
      server.answer = (response) => refuse(response, 401, "UNAUTHENTICATED");
      await assert.rejects(slipway.domains.waitUntilDeleted("dom_1"), ApiError);
    });
  });

  describe("a stream", () => {
    const begin = (response: ServerResponse): void =>
      void response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const event = (kind: string, id: string | null, data: object): string =>
      `event: ${kind}\n${id === null ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
    const line = (text: string, id: string | null = null): string => event("line", id, { text });

    async function readAll(): Promise<readonly string[]> {
      const seen: string[] = [];
      for await (const one of slipway.deployments.streamLogs("depl_1", { serviceId: "svc_1" }))
        seen.push(one.event === "line" ? one.data.text : one.event);
      return seen;
    }

    it("continues after the last event, and gives each once, wherever the connection breaks", async () => {
      server.answer = (response, { headers }, before) => {
        begin(response);
        if (before === 0) {
          // It breaks in the middle of what has one id.
          response.write(
            `: hello\n\n${event("status", null, { status: "BUILDING" })}${line("a")}${line("b", "2")}`,
          );
          response.write(line("c"), () => response.destroy());
        } else if (before === 1) {
          assert.equal(headers["last-event-id"], "2");
          response.write(line("c") + line("d", "4"), () => response.destroy());
        } else {
          assert.equal(headers["last-event-id"], "4");
          response.end(event("end", null, { status: "SUCCESS" }));
        }
      };
      assert.deepEqual(await readAll(), ["status", "a", "b", "c", "d", "end"]);
      assert.deepEqual(
        server.sent.map(({ url, headers }) => [url, headers.accept]),
        Array.from({ length: 3 }, () => ["/v1/deployments/depl_1/logs?serviceId=svc_1", "text/event-stream"]),
      );
    });

    it("continues through an outage, also when the server ends it without a word", async () => {
      server.answer = (response, _sent, before) => {
        if (before === 1 || before === 2) return refuse(response, 503, "OVERLOADED", { "retry-after": "0" });
        begin(response);
        response.end(before === 0 ? line("a", "1") : event("end", null, {}));
      };
      assert.deepEqual(await readAll(), ["a", "end"]);
    });

    it("ends with the problem when the key may no longer read it", async () => {
      server.answer = (response) => {
        begin(response);
        response.end(event("refused", null, { status: 401, code: "UNAUTHENTICATED", detail: "Revoked." }));
      };
      await assert.rejects(
        readAll(),
        (error) => error instanceof ApiError && error.code === "UNAUTHENTICATED",
      );
      server.answer = (response) => refuse(response, 403, "ROLE_TOO_LOW");
      await assert.rejects(readAll(), (error) => error instanceof ApiError && error.status === 403);
    });

    it("closes its connection when the reader stops, and when it is aborted", async () => {
      let closed: Promise<unknown> = Promise.resolve();
      server.answer = (response) => {
        closed = new Promise((resolve) => response.once("close", resolve));
        begin(response);
        response.write(line("a", "1"));
      };
      for await (const _one of slipway.deployments.streamLogs("depl_1")) break;
      await closed;
      const ending = new AbortController();
      await assert.rejects(async () => {
        for await (const _one of slipway.deployments.streamLogs("depl_1", {}, { signal: ending.signal }))
          ending.abort();
      }, AbortedError);
      await closed;
    });
  });
});
