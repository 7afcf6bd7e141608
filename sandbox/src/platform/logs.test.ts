import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { Refusal } from "../refusal.ts";
import { openLogs, type Logs } from "./logs.ts";

async function newLogs(t: TestContext): Promise<{ logs: Logs; folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-logs-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { logs: openLogs(folder, () => 5), folder };
}

function textsFrom(logs: Logs, cursor: string | null): { texts: string[]; next: string } {
  const texts: string[] = [];
  for (let next = cursor; ;) {
    const page = logs.read("a", next);
    if (page.lines.length === 0) return { texts, next: page.next };
    texts.push(...page.lines.map(({ text }) => text));
    next = page.next;
  }
}

test("lines are joined across chunks, even within a character, separately for each stream", async (t) => {
  const { logs } = await newLogs(t);
  const log = logs.open("a", "last", 10_000);
  const bytes = Buffer.from("grüße\r\nnext");
  log.write("stdout", bytes.subarray(0, 3));
  log.write("stderr", Buffer.from("other\n"));
  log.write("stdout", bytes.subarray(3));
  log.note("of the platform");
  log.flush();
  log.close();
  log.note("too late");
  assert.deepEqual(
    logs.read("a", null).lines.map(({ stream, text }) => `${stream} ${text}`),
    ["stderr other", "stdout grüße", "platform of the platform", "stdout next"],
  );
});

test("a log that keeps its beginning says that the rest is dropped, and still accepts the platform's lines", async (t) => {
  const { logs } = await newLogs(t);
  const log = logs.open("a", "first", 1_000);
  for (let index = 0; index < 1_000; index++) log.write("build", Buffer.from(`line ${index}\n`));
  log.note("the end");
  log.close();
  const { texts } = textsFrom(logs, null);
  assert.equal(texts[0], "line 0");
  assert.ok(texts.length < 60);
  assert.match(texts.at(-2) ?? "", /The log is full \(1000 bytes\)\. Further lines are dropped\./);
  assert.equal(texts.at(-1), "the end");
});

test("a log that keeps its end continues at a cursor whose lines were removed", async (t) => {
  const { logs } = await newLogs(t);
  const log = logs.open("a", "last", 4_000);
  log.write("stdout", Buffer.from("early\n"));
  const { next } = textsFrom(logs, null);
  for (let index = 0; index < 1_000; index++) log.write("stdout", Buffer.from(`line ${index}\n`));
  const { texts, next: end } = textsFrom(logs, next);
  assert.equal(texts.at(-1), "line 999");
  assert.ok(texts.length < 300 && texts.length > 30);
  log.write("stdout", Buffer.from("late\n"));
  assert.deepEqual(textsFrom(logs, end).texts, ["late"]);
  log.close();
});

test("after a crash in the middle of a line, the log continues with the next, and cursors stay valid", async (t) => {
  const { logs, folder } = await newLogs(t);
  const before = logs.open("a", "last", 4_000);
  before.write("stdout", Buffer.from("whole\n"));
  before.close();
  const { next } = textsFrom(logs, null);
  appendFileSync(path.join(folder, "a", "0.log"), '[5,"stdout","ha');
  const after = logs.open("a", "last", 4_000);
  after.write("stdout", Buffer.from("again\n"));
  after.close();
  assert.deepEqual(textsFrom(logs, next).texts, ["again"]);
});

test("a very long line is split, and comes in pages", async (t) => {
  const { logs } = await newLogs(t);
  const log = logs.open("a", "first", 10_000_000);
  log.write("build", Buffer.from(`${"\u0001".repeat(100_000)}\n`));
  log.close();
  const { texts } = textsFrom(logs, null);
  assert.ok(texts.every((text) => text.length <= 16_384));
  assert.equal(texts.join("").length, 100_000);
});

// V13
test("a long line is split between characters, however it is written", async (t) => {
  const { logs } = await newLogs(t);
  const log = logs.open("a", "first", 10_000_000);
  const line = `${"x".repeat(16_383)}😀${"y".repeat(16_382)}😀`;
  log.write("build", Buffer.from(`${line}\n`));
  const bytes = Buffer.from(`${line}${line}\n`);
  for (let at = 0; at < bytes.length; at += 1_021) log.write("build", bytes.subarray(at, at + 1_021));
  log.write("build", Buffer.from(line));
  log.flush();
  log.close();
  const { texts } = textsFrom(logs, null);
  assert.ok(texts.every((text) => text.isWellFormed() && text.length <= 16_384));
  assert.equal(texts.join(""), line.repeat(4));
});

test("an invalid cursor is refused, and a missing log is empty", async (t) => {
  const { logs } = await newLogs(t);
  assert.throws(() => logs.read("a", "x"), Refusal);
  assert.deepEqual(logs.read("a", null), { lines: [], next: "0" });
});

test("S9: managed values are hidden in a log, across chunks, in lines of any length, and each line of a value separately", async (t) => {
  const { logs, folder } = await newLogs(t);
  const log = logs.open("a", "last", 10_000_000);
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBg+/kqh=\r\nabc\n-----END KEY-----";
  const secret = "pa$$w.rd*[longer]";
  log.hide([key, secret, "pa$$", "abc"]);
  log.write("build", Buffer.from(`one ${secret}, two ${secret}pa$$\n`));
  log.write("build", Buffer.from("begun pa$$w.r"));
  log.write("stdout", Buffer.from("between, on another stream\n"));
  log.write("build", Buffer.from("d*[longer] ended\n"));
  log.write("build", Buffer.from(`${key}\n${JSON.stringify(key)}\n`));
  // Wherever a line that is too long is cut, and wherever a chunk ends, no part of a value is left.
  for (let at = 16_384 - 40; at < 16_384 + 40; at++) {
    const line = `${".".repeat(at)}${secret}${"-".repeat(20_000)}`;
    for (const end of [at + 3, 16_384]) {
      log.write("build", Buffer.from(line.slice(0, end)));
      log.write("build", Buffer.from(`${line.slice(end)}\n`));
    }
  }
  log.hide(["changed-later"]);
  log.write("build", Buffer.from(`it is changed-later, and was ${secret}`));
  log.flush();
  log.close();
  const { texts } = textsFrom(logs, null);
  assert.deepEqual(texts.slice(0, 3), [
    "one ***, two ******",
    "between, on another stream",
    "begun *** ended",
  ]);
  assert.deepEqual(texts.slice(3, 8), ["***", "***", "abc", "***", '"***\\n***\\r\\nabc\\n***"']);
  assert.equal(texts.at(-1), "it is ***, and was ***");
  const all = texts.join("");
  assert.equal(all.split("***").length - 1, 3 + 1 + 3 + 3 + 160 + 2);
  const files = readdirSync(path.join(folder, "a")).map((name) =>
    readFileSync(path.join(folder, "a", name), "utf8"),
  );
  for (const part of [secret.slice(0, 4), secret.slice(-6), "MIIEv"]) {
    assert.ok(
      files.every((text) => !text.includes(part)),
      part,
    );
  }
});
