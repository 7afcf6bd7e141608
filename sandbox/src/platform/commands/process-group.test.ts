import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { isRunning, startPlatformFixture } from "../../../../test/helpers/sandbox/platform-fixture.ts";
import { webWorkload } from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";
import { startProcessGroup, type ProcessGroup } from "./process-group.ts";

function run(
  command: string,
  env: Record<string, string> = {},
): { group: ProcessGroup; output: () => string } {
  let output = "";
  const group = startProcessGroup({
    isolation: {
      kind: "none",
      world: [],
      emptyFolder: "",
      containerRoot: "",
      self: { uid: 0, gid: 0 },
      strayDescriptors: [],
    },
    root: tmpdir(),
    user: null,
    limits: null,
    command,
    folder: tmpdir(),
    env: { PATH: "/usr/bin:/bin", ...env },
    onOutput: (stream, chunk) => (output += `${stream}:${chunk.toString()}`),
  });
  return { group, output: () => output };
}

/** The first number of the output. */
const pidIn = (output: () => string) =>
  waitFor(() => {
    const match = /(\d+)\n/.exec(output());
    return match === null ? null : Number(match[1]);
  });

test("a command ends with its exit code, or the signal that ended it, and both outputs are read", async () => {
  const good = run("echo out; echo err >&2");
  assert.deepEqual(await good.group.ended, { isSuccess: true, text: "ended with exit code 0", exitCode: 0 });
  assert.ok(good.output().includes("stdout:out\n") && good.output().includes("stderr:err\n"));
  assert.equal((await run("exit 7").group.ended).text, "ended with exit code 7");
  assert.equal((await run("kill -SEGV $$").group.ended).text, "was ended by SIGSEGV");
});

test("a command sees its own environment and nothing of ours", async () => {
  process.env["SLIPWAY_PLANTED"] = "leaks";
  const { group, output } = run("env", { ONLY: "this" });
  await group.ended;
  delete process.env["SLIPWAY_PLANTED"];
  const names = output().replace("stdout:", "").trim().split("\n");
  // The shell adds the others.
  const own = names
    .map((line) => line.split("=")[0] ?? "")
    .filter((name) => !/^(?:PWD|SHLVL|_|OLDPWD)$/.test(name));
  assert.deepEqual(own.sort(), ["ONLY", "PATH"]);
});

test("a command gets no descriptor that this process was started with", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "descriptors-"));
  const file = path.join(folder, "secret");
  writeFileSync(file, "of the parent\n");
  const script = path.join(folder, "run.mjs");
  const moduleOf = (name: string) => JSON.stringify(path.join(import.meta.dirname, name));
  // Node itself closes those below 16.
  const command = "for fd in 3 4 9 40; do cat /dev/fd/$fd; done; echo done";
  writeFileSync(
    script,
    `import { startProcessGroup } from ${moduleOf("process-group.ts")};
     import { findStrayDescriptors } from ${moduleOf("stray-descriptors.ts")};
     const group = startProcessGroup({
       isolation: {
         kind: "none", world: [], emptyFolder: "", containerRoot: "", self: { uid: 0, gid: 0 },
         strayDescriptors: findStrayDescriptors(),
       },
       root: ${JSON.stringify(folder)}, folder: ${JSON.stringify(folder)}, user: null,
       command: ${JSON.stringify(command)}, env: { PATH: "/usr/bin:/bin" },
       onOutput: (stream, chunk) => { if (stream === "stdout") process.stdout.write(chunk); },
     });
     await group.ended;`,
  );
  const stray = openSync(file, "r");
  const at = (place: number) => ([3, 4, 9, 40].includes(place) ? stray : "ignore");
  const parent = spawn(process.execPath, [script], {
    stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: 38 }, (_, index) => at(index + 3))],
  });
  closeSync(stray);
  let output = "";
  parent.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(parent, "close");
  rmSync(folder, { recursive: true });
  assert.equal(output, "done\n");
});

test("what a command left running in its group ends with it", async () => {
  const { group, output } = run("sleep 600 & echo $!");
  const pid = await pidIn(output);
  await group.ended;
  await waitFor(() => (isRunning(pid) ? null : true));
});

test("a stop waits for a process that outlives its shell, and kills a process that does not end", async () => {
  const polite = run(
    "sh -c 'trap \"sleep 0.2; echo finished; exit 0\" TERM; echo $$; while :; do sleep 0.05; done'; true",
  );
  await pidIn(polite.output);
  await polite.group.stop(10_000);
  assert.match(polite.output(), /finished/);

  const stubborn = run("trap '' TERM; echo $$; while :; do sleep 0.05; done");
  const pid = await pidIn(stubborn.output);
  await stubborn.group.stop(100);
  await waitFor(() => (isRunning(pid) ? null : true));
});

for (const isolation of ["bwrap", "unshare"] as const) {
  test(`a stop in ${isolation} ends with the last process, before the end of the grace period`, async (t) => {
    const fixture = await startPlatformFixture({ stopGraceMs: 60_000 }, { isolation }).catch(
      (error: Error) => error,
    );
    if (fixture instanceof Error) {
      assert.match(fixture.message, /which this machine does not offer/);
      return t.skip(fixture.message);
    }
    try {
      const files = {
        "server.js": `require("node:http").createServer((a, b) => b.end()).listen(process.env.PORT);`,
      };
      await fixture.deploy("stopped", files, webWorkload());
    } finally {
      const startedMs = performance.now();
      await fixture.stop();
      assert.ok(performance.now() - startedMs < 30_000);
    }
  });
}

test("an environment that is too large for the system is an ending with this reason", async () => {
  const ending = await run("true", { BIG: "x".repeat(4_000_000) }).group.ended;
  assert.equal(ending.isSuccess, false);
  assert.match(ending.text, /could not be started: its environment is too large/);
});

test("a group does not outlive the process that started it, even when that is killed", async () => {
  const program = `
    import { startProcessGroup } from ${JSON.stringify(new URL("process-group.ts", import.meta.url).href)};
    startProcessGroup({
      isolation: {
        kind: "none", world: [], emptyFolder: "", containerRoot: "", self: { uid: 0, gid: 0 }, strayDescriptors: [],
      },
      root: "/",
      user: null,
      command: "sleep 600 & echo $!; trap '' TERM; wait",
      folder: "/",
      env: { PATH: "/usr/bin:/bin" },
      onOutput: (stream, chunk) => process.stdout.write(chunk),
    });
    setInterval(() => undefined, 1000);
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  parent.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const pid = await pidIn(() => output);
  assert.ok(isRunning(pid));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await waitFor(() => (isRunning(pid) ? null : true));
});
