import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { until } from "../../test/helpers/until.ts";
import { AppError } from "../lib/errors.ts";
import { sendEvents, type ServerEvent } from "./streams.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { createTestServer } from "./testing.ts";

const HEAD = "GET /events HTTP/1.1\r\nhost: slipway.test\r\naccept: text/event-stream\r\n\r\n";

describe("a stream of events", () => {
  let app: Awaited<ReturnType<typeof createTestServer>>;
  let draining: AbortController;
  let over: AbortController;
  let ended: string[];
  let client: Socket;
  let received: string;

  beforeEach(async () => {
    app = await createTestServer();
    draining = new AbortController();
    over = new AbortController();
    ended = [];
    received = "";
  });
  afterEach(async () => {
    client.destroy();
    await app.close();
  });

  async function follow(open: (signal: AbortSignal) => AsyncIterable<ServerEvent>): Promise<void> {
    const { signal } = draining;
    const hold = { signal: over.signal, end: () => void ended.push("hold") };
    app.get("/events", (request, reply) => sendEvents(request, reply, { signal, hold, open }));
    await app.listen({ port: 0, host: "127.0.0.1" });
    client = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    client.setEncoding("utf8").on("data", (text: string) => void (received += text));
    await once(client, "connect");
    client.write(HEAD);
  }
  const line = (id: number, data: unknown = id): ServerEvent => ({ event: "line", id: String(id), data });

  it("stops reading events while its client reads none, and ends when the client disconnects", async () => {
    let made = 0;
    await follow(async function* () {
      try {
        for (; made < 1_000; made += 1) yield line(made, "x".repeat(65_536));
      } finally {
        ended.push("events");
      }
    });
    client.pause();
    let before = 0;
    const isStill = (): boolean => made > 0 && made === before;
    await until(() => isStill() || void (before = made), "no more events are made");
    assert.deepEqual(ended, []);
    client.destroy();
    await until(() => ended.length === 2, "the hold and the events have ended");
    assert.deepEqual(new Set(ended), new Set(["events", "hold"]));
  });

  it("ends when the service stops, even if the next event never comes", async () => {
    await follow(async function* () {
      yield line(1);
      await new Promise(() => undefined);
    });
    await until(() => received.includes("id: 1\n"), "the first event has come");
    draining.abort();
    await until(() => received.endsWith("0\r\n\r\n"), "the answer is whole");
    assert.deepEqual(ended, ["hold"]);
  });

  it("ends with a refusal", async () => {
    await follow(async function* () {
      yield line(1);
      await new Promise(() => undefined);
    });
    await until(() => received.includes("id: 1\n"), "the first event has come");
    over.abort(new AppError(HTTP_ERRORS.UNAUTHENTICATED, "The key was revoked."));
    await until(() => received.endsWith("0\r\n\r\n"), "the answer is whole");
    assert.match(received, /event: refused\ndata: \{.*"code":"UNAUTHENTICATED"/);
  });

  it("answers an error before the first event with a status", async () => {
    await follow(async function* () {
      await Promise.reject(new AppError(HTTP_ERRORS.TOO_MANY_HELD, "Too many are held."));
      yield line(1);
    });
    await until(() => received.includes("\r\n\r\n"), "the answer has come");
    assert.match(received, /^HTTP\/1\.1 429 /);
    assert.deepEqual(ended, ["hold"]);
  });
});
