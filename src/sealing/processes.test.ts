import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { type Interface, createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import { systemClock } from "../lib/clock.ts";
import { openSealing } from "./open-sealing.ts";
import { Secret } from "./secret.ts";
import { createTestWrap, temporaryKeyFolder } from "./testing.ts";

const RUN = { organizationId: "org_1", scopeId: "env_1", runId: "run_1" };
const ITEM = { name: "TOKEN", kind: "secretsManager", generation: 1 };

type Child = { process: ChildProcessByStdio<Writable, Readable, null>; lines: Interface };

/** A real process with the sealing code loaded and `argument` in `argument`; `body` runs on a signal from the test. */
function startChild(t: TestContext, body: string, argument: unknown): Child {
  const code = `
    const { openSealing } = await import(process.argv[1]);
    const { Secret } = await import(process.argv[2]);
    const { createTestWrap } = await import(process.argv[3]);
    const argument = JSON.parse(process.argv[4]);
    const clock = { now: () => new Date() };
    const RUN = ${JSON.stringify(RUN)}, ITEM = ${JSON.stringify(ITEM)};
    console.log("ready");
    process.stdin.once("data", async () => { ${body}; process.stdin.destroy(); });`;
  const modules = ["open-sealing.ts", "secret.ts", "testing.ts"].map(
    (file) => new URL(file, import.meta.url).href,
  );
  const child = spawn(
    process.execPath,
    ["--input-type=module", "--eval", code, ...modules, JSON.stringify(argument)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  t.after(() => child.kill("SIGKILL"));
  return { process: child, lines: createInterface(child.stdout) };
}

async function nextLine({ lines }: Child): Promise<string> {
  const [line] = await once(lines, "line");
  return String(line);
}

/** Time and again: starts a process that prints a line while it is at work, kills it then, and looks at what is left. */
async function killAtWork(
  t: TestContext,
  rounds: number,
  { body, folder, look }: { body: string; folder: string; look: () => Promise<void> },
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const child = startChild(t, body, folder);
    await nextLine(child);
    child.process.stdin.write("go\n");
    await nextLine(child);
    const exited = once(child.process, "exit");
    child.process.kill("SIGKILL");
    await exited;
    await look();
  }
}

test("processes that start together on an empty folder share keys and open each other's values", async (t) => {
  const folder = await temporaryKeyFolder(t);
  const body = `
    const sealing = await openSealing({ folder: argument.folder, clock });
    const run = await sealing.runs.sealRun(RUN, [{ ...ITEM, value: new Secret(argument.value) }]);
    console.log(JSON.stringify({
      epochId: run.epochId,
      wrappedKey: Buffer.from(run.wrappedKey).toString("hex"),
      sealed: Buffer.from(run.items[0].sealed).toString("hex"),
      fingerprint: sealing.fingerprint(["same"]).current(),
      token: Buffer.from(await sealing.atRest.seal(["org_1"], new Secret(argument.value))).toString("hex"),
    }));
    process.stdin.once("data", async (line) => {
      const bytes = (hex) => Buffer.from(hex, "hex");
      const other = JSON.parse(line);
      const opened = await sealing.runs.openItem(
        RUN, { epochId: other.epochId, wrappedKey: bytes(other.wrappedKey) }, ITEM, bytes(other.sealed));
      const token = await sealing.atRest.open(["org_1"], bytes(other.token));
      console.log(opened.reveal() + " " + token.reveal());
      process.stdin.destroy();
    });
    return`;
  const children = ["one", "two", "three"].map((value) => startChild(t, body, { folder, value }));
  await Promise.all(children.map(nextLine));

  const answers = Promise.all(children.map(nextLine));
  for (const child of children) child.process.stdin.write("go\n");
  const sealed = await answers;
  const fingerprints = sealed.map((line) => JSON.parse(line).fingerprint);
  assert.equal(new Set(fingerprints).size, 1);

  // Each is given the next one's.
  const opened = Promise.all(children.map(nextLine));
  for (const [index, child] of children.entries()) {
    child.process.stdin.write(`${sealed[(index + 1) % children.length]}\n`);
  }
  assert.deepEqual(await opened, ["two two", "three three", "one one"]);
});

test("a process killed while it makes keys leaves a folder that opens, and no unusable key", async (t) => {
  const folder = await temporaryKeyFolder(t);
  const body = `
    const sealing = await openSealing({ folder: argument, clock, rotateEveryMs: 1, destroyAfterMs: 20 });
    for (let count = 1; ; count++) {
      await sealing.keys.current();
      await sealing.keys.destroyExpired();
      if (count % 10 === 0) console.log(count);
    }`;
  const look = async () => {
    const { keys } = await openSealing({ folder, clock: systemClock });
    const { epochId } = await keys.current();
    assert.ok((await keys.open(epochId)) !== null);
    for (const name of await readdir(folder)) {
      if (name.endsWith(".key") && name !== "at-rest.key") {
        assert.ok((await keys.open(name.slice(0, -4))) !== null);
      }
    }
  };
  await killAtWork(t, 3, { body, folder, look });
});

test("P7: a process killed while it wraps and unwraps keys leaves each of them readable", async (t) => {
  const folder = await temporaryKeyFolder(t);
  const first = await openSealing({ folder, clock: systemClock });
  const token = await first.atRest.seal(["org_1"], new Secret("token"));
  const run = await first.runs.sealRun(RUN, [{ ...ITEM, value: new Secret("value") }]);
  const body = `
    for (let count = 1; ; count++) {
      const sealing = await openSealing({ folder: argument, clock, wrap: createTestWrap("alias/slipway") });
      await sealing.files.unwrapAll();
      if (count % 10 === 0) console.log(count);
    }`;
  const look = async () => {
    const { atRest, runs } = await openSealing({
      folder,
      clock: systemClock,
      wrap: createTestWrap("alias/slipway"),
    });
    assert.equal((await atRest.open(["org_1"], token)).reveal(), "token");
    const opened = await runs.openItem(RUN, run, ITEM, run.items[0]?.sealed ?? assert.fail());
    assert.equal(opened.reveal(), "value");
  };
  await killAtWork(t, 4, { body, folder, look });
});
