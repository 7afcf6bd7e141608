import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FastifyRequest } from "fastify";
import { pino } from "pino";
import { createLogger } from "../../lib/log.ts";
import { createRefusedSignIns } from "./refused-sign-ins.ts";

const REQUEST = {
  id: "request",
  ip: "192.0.2.1",
  method: "GET",
  routeOptions: { url: "/v1/me" },
  headers: { authorization: "Bearer canary" },
} as unknown as FastifyRequest;

describe("refused sign-ins", () => {
  it("do not fill the log: beyond a limit per minute they are logged as a number", () => {
    const lines: string[] = [];
    const sink = pino.multistream([{ level: "info", stream: { write: (line) => void lines.push(line) } }]);
    let nowMs = 0;
    const log = createRefusedSignIns({ log: createLogger("info", sink), now: () => nowMs });
    for (let count = 0; count < 1_000; count += 1) log(REQUEST, "unknown");
    assert.equal(lines.length, 20);
    nowMs = 60_000;
    log(REQUEST, "malformed");
    assert.equal(lines.length, 22);
    assert.equal(JSON.parse(lines[20] ?? "").refused, 980);
    assert.deepEqual(
      (({ reason, sourceAddress, path }) => ({ reason, sourceAddress, path }))(JSON.parse(lines[21] ?? "")),
      { reason: "malformed", sourceAddress: "192.0.2.1", path: "/v1/me" },
    );
    assert.ok(!lines.join("").includes("canary"));
  });
});
