/**
 * A repository that tries to get at Slipway and at other accounts, in its own sandbox. `node attack.ts <isolation>
 * <canary>` prints the result, for tests that run it as another user and with the canary in its environment.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SandboxOptions } from "../../../sandbox/src/server.ts";
import { startPlatformFixture } from "./platform-fixture.ts";
import { listProcessesIn } from "./processes-in.ts";
import { webWorkload } from "./programs.ts";
import { waitFor } from "./sandbox-fixture.ts";

/** What a command reached. `read`, `written` and `processes` should be empty. */
export type Loot = {
  /** Files that it could read, or folders that it could list. */
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** Other processes that have the canary in their environment, or that it could signal. */
  readonly processes: readonly string[];
  readonly env: readonly string[];
  readonly uid: number;
  /** Of its process, and of its session where Linux has those. */
  readonly priorities: readonly [number, number | null];
  /** Things that have to work: its folder, its home, /tmp, programs, its user. */
  readonly works: readonly string[];
};

export type Attack = {
  readonly describes: string;
  readonly build: Loot;
  readonly service: Loot;
  /** The commands that were still running after the build and the service had ended. */
  readonly left: readonly string[];
};

const PROGRAM = `
const fs = require("node:fs");
const { execFileSync } = require("node:child_process");
const { dataDir, canary, pid, strangers } = JSON.parse(fs.readFileSync("target.json", "utf8"));
const attempt = (work) => { try { return work(); } catch { return null; } };
function loot() {
  const read = [], written = [], processes = [];
  const walk = (at, depth) => {
    if (depth > 6 || at.startsWith(process.cwd())) return;
    const found = attempt(() => fs.readdirSync(at, { withFileTypes: true }));
    for (const entry of found ?? []) {
      const inner = at + "/" + entry.name;
      if (entry.isDirectory()) walk(inner, depth + 1);
      else if (attempt(() => fs.readFileSync(inner, "latin1"))?.includes(canary)) read.push(inner);
    }
  };
  for (const at of [dataDir, dataDir + "/sandbox.db", dataDir + "/keys/at-rest.key", ...strangers]) {
    walk(at, 0);
    if (attempt(() => fs.readFileSync(at, "latin1")) !== null) read.push(at);
  }
  for (const at of strangers) if (attempt(() => fs.readdirSync(at)) !== null) read.push(at);
  for (const at of [dataDir + "/planted", "/usr/planted", "/etc/planted", process.execPath, ...strangers.map((at) => at + "/x")]) {
    if (attempt(() => (fs.closeSync(fs.openSync(at, "a")), true)) === true) written.push(at);
  }
  for (const id of fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    for (const name of ["environ", "cmdline", "maps", "mountinfo", "root/proc/1/environ", "cwd/planted"]) {
      const text = attempt(() => fs.readFileSync("/proc/" + id + "/" + name, "latin1"));
      if (text?.includes(canary) && name !== "cmdline") processes.push(id + "/" + name);
    }
  }
  if (attempt(() => fs.readFileSync("/proc/" + pid + "/environ", "latin1"))?.includes("SLIPWAY_")) processes.push("environ");
  if (fs.existsSync("/proc/" + pid) && attempt(() => process.kill(pid, 0)) === true && attempt(() => fs.readFileSync("/proc/" + pid + "/cmdline", "latin1"))?.includes("attack")) processes.push("signal");
  const works = [];
  for (const at of ["here", process.env.HOME + "/x", "/tmp/slipway-x"]) if (attempt(() => (fs.writeFileSync(at, "x"), true))) works.push("write");
  attempt(() => fs.rmSync("/tmp/slipway-x"));
  if (attempt(() => execFileSync("node", ["--version"]).toString())?.startsWith("v")) works.push("node");
  if (attempt(() => execFileSync("sh", ["-c", "ls / | sort | head -n 1"]).toString())) works.push("tools");
  if (attempt(() => require("node:dns").getServers())) works.push("dns");
  const session = attempt(() => fs.readFileSync("/proc/self/autogroup", "latin1"));
  const priorities = [require("node:os").getPriority(), session && Number(session.split(" nice ")[1])];
  return { read, written, processes, env: Object.keys(process.env), uid: process.getuid(), priorities, works };
}
module.exports = loot;
`;

/** Runs the attack. @throws SandboxStartError when this machine does not offer the isolation */
async function attack(isolation: NonNullable<SandboxOptions["isolation"]>, canary: string): Promise<Attack> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-attack-"));
  try {
    for (const name of ["keys/at-rest.key", "database/base", "secret"]) {
      mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true });
      writeFileSync(path.join(dataDir, name), canary, { mode: 0o600 });
    }
    const fixture = await startPlatformFixture({}, { dataDir, isolation });
    try {
      // Another account's artifact, and its running service.
      const other = await fixture.connect();
      const files = {
        "server.js": `require("node:http").createServer((a, b) => b.end()).listen(process.env.PORT);`,
      };
      const workloadOfOther = webWorkload({ buildCommand: "true" });
      const built = await fixture.build("neighbour", files, workloadOfOther, { as: other });
      await fixture.release("neighbour", built.artifact, workloadOfOther, [], other);
      const strangers = listProcessesIn(fixture.platformDir).map(({ folder }) =>
        path.join(fixture.platformDir, folder),
      );
      strangers.push(path.join(fixture.platformDir, "builds", built.artifact ?? "", "source"));
      const target = JSON.stringify({ dataDir, canary, pid: process.pid, strangers });

      const attacker = {
        "target.json": target,
        "loot.js": PROGRAM,
        "server.js": `const loot = JSON.stringify(require("./loot.js")());
          require("node:http").createServer((request, response) => response.end(loot)).listen(process.env.PORT, "127.0.0.1");`,
      };
      const workload = webWorkload({
        healthCheckPath: "/",
        buildCommand:
          "node -e 'console.log(JSON.stringify(require(\"./loot.js\")()))'; setsid sleep 98765 >/dev/null 2>&1 & sleep 0.1",
        startCommand: "setsid sleep 87654 >/dev/null 2>&1 & exec node server.js",
      });
      const bad = await fixture.build("attacker", attacker, workload);
      const lines = await fixture.logOf("builds", bad.id);
      const build = JSON.parse(lines.find(({ text }) => text.startsWith("{"))?.text ?? "{}") as Loot;
      const released = await fixture.release("attacker", bad.artifact, workload);
      const service = (await (await fetch(released.url ?? "")).json()) as Loot;
      await fixture.platform.services.remove(fixture.account, { serviceId: "attacker", region: "us-west-2" });
      const isLeft = () =>
        listProcessesIn(fixture.platformDir).filter(({ command }) => /sleep (?:98765|87654)/.test(command));
      await waitFor(() => (isLeft().length === 0 ? true : null)).catch(() => null);
      // A folder that only contains mounts is new for each command, so files written there do not stay.
      const really = (loot: Loot): Loot => ({
        ...loot,
        written: loot.written.filter((at) => existsSync(at)),
      });
      return {
        describes: fixture.server.describeCommands(),
        build: really(build),
        service: really(service),
        left: isLeft().map(({ command }) => command),
      };
    } finally {
      await fixture.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.argv[1] === import.meta.filename) {
  // Slipway's programs do this first as well.
  process.umask(0o077);
  const result: object = await attack(process.argv[2] as "auto", process.argv[3] ?? "").catch(
    (error: unknown) => ({ failed: error instanceof Error ? error.message : String(error) }),
  );
  // A failed start may leave handles open, which must not keep the process alive.
  process.stdout.write(JSON.stringify(result), () => process.exit());
}
