import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { it } from "node:test";
import { createLogger, writeAsText } from "./log.ts";

function written(write: (log: ReturnType<typeof createLogger>) => void): string {
  const stream = new PassThrough();
  write(createLogger("trace", writeAsText(stream as unknown as NodeJS.WriteStream)));
  return String(stream.read() ?? "");
}

it("a record is a line with its time, its level, its message and its fields", () => {
  const text = written((log) =>
    log.warn({ url: "http://a:1/b", count: 2, none: null, why: "two words" }, "It is so"),
  );
  assert.match(text, /^\d\d:\d\d:\d\d WARN {2}It is so url=http:\/\/a:1\/b count=2 why="two words"\n$/);
});

it("an error has its stack below the line, and its causes", () => {
  const error = new Error("outer", { cause: new TypeError("inner") });
  const lines = written((log) => log.error({ err: error }, "It failed")).split("\n");
  assert.match(lines[0] ?? "", /ERROR It failed$/);
  assert.equal(lines[1], "  Error: outer");
  assert.ok(lines.includes("  caused by TypeError: inner"));
});

it("nothing that others named controls the terminal, and no secret is shown", () => {
  const text = written((log) =>
    log.info({ repo: "\u001b[2J\u009b\u202e", inner: { token: "hidden" } }, "a\u001b]0;b"),
  );
  for (const one of ["\u001b", "\u009b", "\u202e", "hidden"]) assert.ok(!text.includes(one), one);
  assert.match(text, /\\u001b/);
});
