/** What another user of the machine may read of a Slipway: nothing, whatever the umask and the folders it was given. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { cleanEnv, type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { makeTempDir } from "../helpers/template.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
const SERVICES = [
  { id: "site", type: "static", outputDirectory: "public", buildCommand: "chmod -R a+rwX . && echo built" },
  { id: "jobs", type: "worker", startCommand: "echo runs > note; chmod 666 note; exec sleep 600" },
];

/** Everything in a folder, including the folder itself. */
function walk(folder: string): string[] {
  return [
    folder,
    ...readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const at = path.join(folder, entry.name);
      return entry.isDirectory() ? walk(at) : [at];
    }),
  ];
}

/** Commands of repositories set the rights of their own files, in folders that are closed. */
const OF_COMMANDS = /\/platform\/(?:builds|releases)\/[^/]+\/(?:source|app|home|tmp)(?:\/|$)/;

function assertClosed(folder: string): number {
  const all = walk(folder);
  const open = all.filter(
    (at) => !OF_COMMANDS.test(at) && !lstatSync(at).isSymbolicLink() && (lstatSync(at).mode & 0o077) !== 0,
  );
  assert.deepEqual(open, []);
  if (process.getuid?.() === 0) {
    // As a user with no rights: whatever the modes say, nothing is found.
    const { stdout } = spawnSync("find", [folder, "-mindepth", "1"], { uid: 54321, gid: 54321, cwd: "/" });
    assert.equal(stdout.toString(), "");
  }
  return all.length;
}

describe("S2: with umask 000", { skip: process.platform === "win32" && "Windows has other rights" }, () => {
  let root: string;
  let umask: number;
  const started: ServiceProcess[] = [];
  before(async () => {
    umask = process.umask(0);
    root = await makeTempDir("umask");
    // So that what counts are the rights of the folders themselves.
    chmodSync(root, 0o755);
  });
  after(async () => {
    process.umask(umask);
    for (const { process: child, ended: end } of started) {
      child.kill("SIGKILL");
      await end;
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  async function start(env: Record<string, string>): Promise<ServiceProcess> {
    const service = await startProcess({ SLIPWAY_API_KEY: ADMIN_KEY, ...env });
    started.push(service);
    return service;
  }

  it("nothing is readable in a folder created with 0755, nor in the key folder, after a deployment", async () => {
    const dataDir = path.join(root, "state-directory");
    const keys = path.join(root, "keys");
    for (const folder of [dataDir, keys]) mkdirSync(folder, { mode: 0o755 });
    const service = await start({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_SEALING_KEYS: keys });
    const admin = createApiClient(service.url, ADMIN_KEY);
    await connectAccount(admin, "main");
    await integrateGit(admin);
    await push({ dataDir }, "umask", withConfig(configOf(SERVICES), { "public/index.html": "page" }));
    // What a developer pushes with another umask is inside closed folders; here it is ours.
    for (const at of walk(path.join(dataDir, "sandbox", "git", "umask.git"))) {
      chmodSync(at, lstatSync(at).mode & 0o7700);
    }
    await createIacProject(admin, "umask");
    await ended(admin, await deploy(admin, "umask"));
    assert.ok(assertClosed(dataDir) > 500);
    assert.ok(assertClosed(keys) > 1);
  });

  it("what an earlier release left open is closed at the start of the service and of the command line", async () => {
    for (const command of ["start", "org list"]) {
      const dataDir = path.join(root, command.replace(" ", "-"));
      const keys = path.join(root, `keys-${command.replace(" ", "-")}`);
      for (const folder of ["keys", "sandbox/git/a.git/objects", "old"]) {
        mkdirSync(path.join(dataDir, folder), { recursive: true });
        writeFileSync(path.join(dataDir, folder, "file"), "left open", { mode: 0o666 });
      }
      mkdirSync(keys);
      const planted = randomBytes(4).toString("hex");
      writeFileSync(path.join(keys, planted), "left open", { mode: 0o666 });
      chmodSync(keys, 0o755);
      assert.equal(lstatSync(path.join(dataDir, "old/file")).mode & 0o777, 0o666);
      const env = { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_SEALING_KEYS: keys };
      if (command === "start") await start(env);
      else
        await promisify(execFile)(process.execPath, [ENTRY, ...command.split(" ")], { env: cleanEnv(env) });
      assertClosed(dataDir);
      assertClosed(keys);
    }
  });
});
