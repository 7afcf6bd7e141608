import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, link, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openKeyFolder } from "./key-folder.ts";
import { openSealing } from "../open-sealing.ts";
import { Secret } from "../secret.ts";
import { HOUR_MS, createTestClock, temporaryKeyFolder } from "../testing.ts";

const NOBODY = 65_534;
const onWindows = process.platform === "win32";

test("files of a crashed writer are ignored, and erased once it is certainly dead", async (t) => {
  const clock = createTestClock();
  const path = await temporaryKeyFolder(t);
  const { keys } = await openSealing({ folder: path, clock });
  const leftover = "tmp-20260301T120000000Z-0123456789abcdef";
  await writeFile(join(path, leftover), "half a k");
  await writeFile(join(path, "README"), "an operator's own file");

  await keys.current();
  await keys.destroyExpired();
  assert.ok((await readdir(path)).includes(leftover), "it may belong to a running process");

  clock.advance(HOUR_MS);
  await openSealing({ folder: path, clock });
  const names = await readdir(path);
  assert.ok(!names.includes(leftover));
  assert.ok(names.includes("README"));
});

test("P7: a second name of a key in use, left by a crash, is removed; the key is not", async (t) => {
  const clock = createTestClock();
  const path = await temporaryKeyFolder(t);
  const { atRest } = await openSealing({ folder: path, clock });
  const sealed = await atRest.seal(["org_1"], new Secret("value"));
  await link(join(path, "at-rest.key"), join(path, "tmp-20260301T120000000Z-0123456789abcdef"));
  clock.advance(HOUR_MS);
  const { atRest: again } = await openSealing({ folder: path, clock });
  assert.deepEqual(await readdir(path), ["at-rest.key"]);
  assert.equal((await again.open(["org_1"], sealed)).reveal(), "value");
});

test("P7: a replaced file leaves nothing of the old one in the folder", async (t) => {
  const folder = await openKeyFolder(await temporaryKeyFolder(t), createTestClock());
  await folder.publish("key", "the old one");
  await folder.replace("key", "the new one");
  await folder.replace("other", "where none was");
  assert.deepEqual((await readdir(folder.path)).sort(), ["key", "other"]);
  assert.equal((await folder.read("key"))?.toString(), "the new one");
});

test("if several publish one file, one wins and the file is complete", async (t) => {
  const folder = await openKeyFolder(await temporaryKeyFolder(t), createTestClock());
  const contents = Array.from({ length: 10 }, (_, index) => String(index).repeat(5000));
  const won = await Promise.all(contents.map((content) => folder.publishOnce("once", content)));
  assert.equal(won.filter(Boolean).length, 1);
  assert.equal((await folder.read("once"))?.toString(), contents[won.indexOf(true)]);
  assert.deepEqual(await readdir(folder.path), ["once"]);
});

test("a file in place of the folder, or in its path, is reported", async (t) => {
  const path = await temporaryKeyFolder(t);
  await writeFile(path, "");
  for (const folder of [path, join(path, "keys")]) {
    await assert.rejects(openSealing({ folder, clock: createTestClock() }), {
      code: "KEY_FOLDER_UNUSABLE",
      message: `The sealing key folder ${folder} cannot be used: a part of its path is a file. Use a folder. SLIPWAY_SEALING_KEYS says which folder it is.`,
    });
  }
});

test("a folder that vanishes while Slipway runs is reported", async (t) => {
  const folder = await temporaryKeyFolder(t);
  const { keys } = await openSealing({ folder, clock: createTestClock() });
  await rm(folder, { recursive: true });
  await assert.rejects(keys.current(), { code: "KEY_FOLDER_UNUSABLE", message: /no longer exists/ });
});

test(
  "a folder that any user may write to is refused, and one made inside it is fine",
  { skip: onWindows },
  async (t) => {
    const folder = await temporaryKeyFolder(t);
    await mkdir(folder);
    await chmod(folder, 0o777);
    const clock = createTestClock();
    await assert.rejects(openSealing({ folder, clock }), {
      code: "KEY_FOLDER_UNUSABLE",
      message: /chmod 700/,
    });
    await openSealing({ folder: join(folder, "keys"), clock });
  },
);

test("a folder without write permission is reported", { skip: onWindows }, async (t) => {
  const folder = await temporaryKeyFolder(t);
  await mkdir(folder, { mode: 0o500 });
  if (process.getuid?.() === 0) {
    await chown(dirname(folder), NOBODY, NOBODY);
    await chown(folder, NOBODY, NOBODY);
  }
  // Permissions do not hold for root, so a child gives up being root, after it has loaded the code.
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `const { openSealing } = await import(process.argv[1]);
       if (process.getuid() === 0) process.setuid(${NOBODY});
       await openSealing({ folder: process.argv[2], clock: { now: () => new Date() } }).catch((error) => {
         console.log(error.code + " " + error.message);
       });`,
      new URL("../open-sealing.ts", import.meta.url).href,
      folder,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.match(output, /^KEY_FOLDER_UNUSABLE .*cannot read and write there\. Make its user the owner/);
});
