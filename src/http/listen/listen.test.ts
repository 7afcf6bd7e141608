import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { text } from "node:stream/consumers";
import { listen } from "./listen.ts";

describe("the listener, while it drains", () => {
  it("answers on a connection that was not accepted yet, and asks the client not to send another", async () => {
    const listener = await listen({ host: "127.0.0.1", port: 0, idleGraceMs: 0 });
    listener.serve((_request, response) => void response.end("answered"));
    const client = connect(Number(new URL(listener.url).port), "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // It connects in the next tick; the event loop does not turn before it drains.
    await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
    const drained = listener.drain();
    const answer = await text(client);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n(.*\r\n)*\r\nanswered$/);
    await drained;
    const late = connect(Number(new URL(listener.url).port), "127.0.0.1");
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
  });
});
