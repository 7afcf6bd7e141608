/** A suite names the programs that it needs before it starts anything. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { it } from "node:test";

const ROOT = path.join(import.meta.dirname, "../..");
const CHECK = path.join(ROOT, "test/require-programs.ts");

const check = (suite: string, env: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, [CHECK, suite], { encoding: "utf8", env });

it("the packages of programs that are missing are named, and the suite does not start", () => {
  const { status, stderr } = check("ha", { PATH: "" });
  assert.equal(status, 1);
  assert.match(stderr, /^This suite needs .*etcd.*patroni.* apt-get install .*etcd-server.*patroni/);
  const browser = check("browser", { PATH: "", SLIPWAY_TEST_CHROMIUM: "/no/such/chromium" });
  assert.match(browser.stderr, /chromium.* apt-get install chromium git/);
  assert.equal(check("unit", { PATH: process.env["PATH"] ?? "" }).status, 0);
});

it("each suite of package.json that needs a program is known", async () => {
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const checked = Object.entries(scripts).flatMap(([name, line]) => {
    const suite = /require-programs[.]ts (\w+) &&/.exec(line)?.[1];
    return suite === undefined ? [] : [[name, suite] as const];
  });
  for (const [name, suite] of checked)
    assert.doesNotMatch(check(suite, { PATH: "" }).stderr, /There is no suite/, name);
  for (const name of ["test", "test:ha", "test:postgres", "test:console", "test:install"])
    assert.ok(
      checked.some(([one]) => one === name),
      name,
    );
});
