import assert from "node:assert/strict";
import { rm, readdir } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { openKeyFiles } from "./open-sealing.ts";
import { createTestClock, createTestWrap, temporaryKeyFolder } from "./testing.ts";
import { openHostVault } from "./vault.ts";

const open = async (folder: string, wrap: Parameters<typeof openKeyFiles>[0]["wrap"] = null) =>
  await openHostVault(await openKeyFiles({ folder, clock: createTestClock(), wrap }));

async function start(t: TestContext) {
  const folder = await temporaryKeyFolder(t);
  return { folder, vault: await open(folder) };
}

test("what is sealed is opened after a restart, at its place only", async (t) => {
  const { folder, vault } = await start(t);
  const sealed = vault.seal("parameter a", "the value");
  assert.ok(!Buffer.from(sealed, "base64").includes("the value"));
  assert.notEqual(vault.seal("parameter a", "the value"), sealed);
  const later = await open(folder);
  assert.equal(later.open("parameter a", sealed), "the value");
  assert.equal(later.digest("x"), vault.digest("x"));
  assert.notEqual(later.digest("x"), later.digest("y"));
  for (const [place, text] of [
    ["parameter b", sealed],
    ["parameter a", `${sealed.slice(0, -8)}AAAAAAA=`],
    ["parameter a", ""],
  ] as const)
    assert.throws(() => later.open(place, text), { name: "SealingError", code: "TAMPERED" });
});

test("without its key nothing is opened, and the message names the file", async (t) => {
  const { folder, vault } = await start(t);
  const sealed = vault.seal("p", "the value");
  await rm(path.join(folder, "host.key"));
  const another = await open(folder);
  assert.throws(() => another.open("p", sealed), /host\.key .* is not the key it was sealed with/);
  assert.notEqual(another.digest("x"), vault.digest("x"));
});

test("a key service wraps the key", async (t) => {
  const { folder, vault } = await start(t);
  const sealed = vault.seal("p", "the value");
  const wrap = createTestWrap("key-1");
  const files = await openKeyFiles({ folder, clock: createTestClock(), wrap });
  assert.equal(await files.wrapAll(), 1);
  assert.equal((await open(folder, wrap)).open("p", sealed), "the value");
  await assert.rejects(open(folder), { code: "KEYS_WRAPPED" });
  assert.ok((await readdir(folder)).includes("host.key"));
});
