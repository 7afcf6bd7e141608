/**
 * Commands of repositories attack the Slipway that runs them, in every kind of isolation that this machine offers,
 * as root and as a plain user (`test/helpers/sandbox/attack.ts`).
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { accessSync, chmodSync, chownSync, constants, cpSync, mkdtempSync, rmSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Attack, Loot } from "../../../../test/helpers/sandbox/attack.ts";
import { BUILD_PRIORITY } from "../build-priority.ts";

const ROOT = path.join(import.meta.dirname, "../../../..");
const PROGRAM = "test/helpers/sandbox/attack.ts";
const isRoot = process.getuid?.() === 0;
/** An id without a user on this machine. */
const PLAIN = { uid: 61_234, gid: 61_234 };

type Result = Attack | { readonly failed: string };

describe("S1: a command of a repository", { skip: process.platform !== "linux" && "needs Linux" }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "slipway-isolation-"));
    if (isRoot) chownSync(folder, PLAIN.uid, PLAIN.gid);
    chmodSync(folder, 0o711);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the attack in a separate process, whose environment contains something to find. */
  async function play(kind: string, isPlain: boolean): Promise<Result> {
    const canary = randomBytes(16).toString("hex");
    const checkout = isPlain && isRoot ? readableCheckout(folder) : ROOT;
    const at = path.join(checkout, PROGRAM);
    const child = spawn(nodeIn(checkout), [at, kind, canary], {
      cwd: "/",
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        SLIPWAY_CANARY: canary,
        TMPDIR: isPlain && isRoot ? folder : tmpdir(),
      },
      ...(isPlain && isRoot ? PLAIN : {}),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await once(child, "close");
    return JSON.parse(output) as Result;
  }

  /** Linux refuses to lower a session if another test does at the same time. */
  async function playUntilLowered(kind: string, isPlain: boolean): Promise<Result> {
    const attempts = 3;
    for (let attempt = 1; ; attempt += 1) {
      const result = await play(kind, isPlain);
      if ("failed" in result || result.build.priorities[1] !== 0 || attempt === attempts) return result;
    }
  }

  function assertNothingReached(loot: Loot, names: readonly string[]): void {
    const { read, written, processes, env, works } = loot;
    assert.deepEqual({ read, written, processes }, { read: [], written: [], processes: [] });
    const own = env.filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name));
    assert.deepEqual(own.toSorted(), names);
    assert.deepEqual(works, ["write", "write", "write", "node", "tools", "dns"]);
  }

  const users = isRoot ? ["root", "a plain user"] : ["a plain user"];
  for (const user of users) {
    for (const kind of ["podman", "bwrap", "unshare", "uid"]) {
      if (kind === "uid" && user !== "root") continue;
      test(`of a Slipway that runs as ${user} reaches nothing of it or of others in ${kind}`, async (t) => {
        const result = await playUntilLowered(kind, user !== "root");
        if ("failed" in result) {
          assert.match(result.failed, /SLIPWAY_SANDBOX_ISOLATION is .* which this machine does not offer/);
          return t.skip(result.failed);
        }
        assert.match(result.describes, new RegExp(`\\(${kind}\\)`));
        assertNothingReached(result.build, ["CI", "HOME", "PATH"]);
        assertNothingReached(result.service, ["HOME", "PATH", "PORT"]);
        assert.deepEqual(result.left, []);
        const [process, session] = result.build.priorities;
        assert.equal(process, Math.max(BUILD_PRIORITY, getPriority()));
        assert.ok(session === BUILD_PRIORITY || session === null, String(session));
        assert.deepEqual(result.service.priorities, [getPriority(), session === null ? null : 0]);
        if (user === "root") assert.ok(result.build.uid > 0, "it is not root");
      });
    }

    test(`of a Slipway that runs as ${user} is isolated by the kind that is chosen here automatically`, async (t) => {
      const result = await play("auto", user !== "root");
      assert.ok(!("failed" in result), JSON.stringify(result));
      if (/permissions of Slipway's own user/.test(result.describes)) {
        // The gate installs bubblewrap: there, this only happens if the user cannot make namespaces.
        return t.skip("this machine offers no isolation");
      }
      assert.match(result.describes, /run isolated|as a separate user/);
      assertNothingReached(result.service, ["HOME", "PATH", "PORT"]);
    });
  }

  test("has all permissions of Slipway without isolation, which the attack notices", async () => {
    const result = await play("none", true);
    assert.ok(!("failed" in result), JSON.stringify(result));
    assert.match(result.describes, /with the permissions of Slipway's own user/);
    for (const { read, written, processes } of [result.build, result.service]) {
      assert.ok(
        read.some((at) => at.endsWith("/keys/at-rest.key")),
        String(read),
      );
      assert.ok(written.some((at) => at.endsWith("/planted")) && processes.length > 0);
    }
  });
});

/** This checkout, or a copy where others may not read it. */
function readableCheckout(folder: string): string {
  try {
    process.seteuid?.(PLAIN.uid);
    accessSync(path.join(ROOT, PROGRAM), constants.R_OK);
    return ROOT;
  } catch {
    process.seteuid?.(0);
    const copy = path.join(folder, "checkout");
    for (const name of ["package.json", "src", "test", "node_modules"]) {
      cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true, verbatimSymlinks: true });
    }
    return copy;
  } finally {
    process.seteuid?.(0);
  }
}

/** The Node of that checkout where it has one, for a plain user may not reach that of another. */
function nodeIn(checkout: string): string {
  return process.execPath.startsWith(`${ROOT}/`)
    ? path.join(checkout, path.relative(ROOT, process.execPath))
    : process.execPath;
}
