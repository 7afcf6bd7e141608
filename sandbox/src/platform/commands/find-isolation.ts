/**
 * Finds the best isolation that this machine offers. To test an isolation, it runs a command that tries to get at
 * Slipway: at a file in its data folder, and at the environment of one of its processes. An installed program
 * proves nothing, because containers and kernels forbid its use in many ways.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SandboxStartError } from "../../start-error.ts";
import { ISOLATION_KINDS, type Isolation, type IsolationKind } from "./confine.ts";
import { startProcessGroup } from "./process-group.ts";
import { makeContainerRoot, memoryBytesOf } from "./podman.ts";
import { type CommandUsers, letPass, openRoot, userIn } from "./command-users.ts";

export type Found = {
  readonly isolation: Isolation;
  /** Why better kinds are not available, for the log. */
  readonly passedOver: readonly string[];
};

type Search = Omit<Isolation, "kind"> & {
  /** The required kind, or `auto`. */
  readonly required: IsolationKind | "auto";
  /** Whether `auto` tries Podman, which takes longer to start each command. */
  readonly prefersContainers: boolean;
  /** A folder of the platform that commands may not read. */
  readonly folder: string;
  /** Null: Slipway is not root, so commands run as its own user. */
  readonly users: CommandUsers | null;
  /** Allows or forbids commands of other users to pass through the folders around their own. */
  readonly setPassage: (isOpen: boolean) => void;
};

const PATIENCE_MS = 20_000;
/** Not an account: accounts have numbers. */
const PROBE = "probe";
const PROBE_LIMITS = { cpu: 0.5, memoryGb: 0.125 };
/** In both versions of cgroups. */
const SHOW_LIMIT = "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null;";

/** @throws SandboxStartError when the required kind is not available */
export async function findIsolation(search: Search): Promise<Found> {
  const { required, users, prefersContainers } = search;
  const passedOver: string[] = [];
  const usual = ISOLATION_KINDS.filter((kind) => kind !== "podman" || prefersContainers);
  for (const kind of required === "auto" ? usual : [required]) {
    const isolation: Isolation = { ...search, kind };
    if (kind === "podman") makeContainerRoot(isolation.containerRoot, isolation.world);
    if (kind === "none") return { isolation, passedOver };
    if (kind === "uid" && users === null) continue;
    if (kind === "uid") search.setPassage(true);
    const problem = await findProblem(isolation, search);
    if (problem === null) return { isolation, passedOver };
    if (kind === "uid") search.setPassage(false);
    passedOver.push(`${kind}: ${problem}`);
  }
  throw new SandboxStartError(
    `SLIPWAY_SANDBOX_ISOLATION is "${required}", which this machine does not offer (${passedOver.join("; ") || "it needs root"}). Leave it unset to use the best available isolation.`,
  );
}

/** The problem of an isolation; null if a command ran in it, could write to its folder, and reached nothing of ours. */
async function findProblem(isolation: Isolation, { folder, users }: Search): Promise<string | null> {
  const { kind } = isolation;
  const at = path.join(folder, `${PROBE}-${randomBytes(6).toString("hex")}`);
  const root = path.join(at, "root");
  const home = path.join(root, "home");
  const secret = randomBytes(16).toString("hex");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chmodSync(root, 0o700);
  if (kind === "uid" && users !== null) letPass(at, users.first);
  const file = path.join(at, "secret");
  writeFileSync(file, secret, { mode: 0o600 });
  // A process like ours, with a secret in its environment that no other process may read.
  const neighbour = spawn("/bin/sh", ["-c", "read -r _"], {
    cwd: "/",
    env: { SLIPWAY_PROBE: secret },
    stdio: ["pipe", "ignore", "ignore"],
  });
  neighbour.on("error", () => undefined);
  neighbour.stdin.on("error", () => undefined);
  try {
    const user = userIn(isolation, users, PROBE);
    await openRoot(root, user);
    let output = "";
    let said = "";
    const group = startProcessGroup({
      command: `cat '${file}'; grep -l ${secret} /proc/[0-9]*/environ; id -u; ${kind === "podman" ? SHOW_LIMIT : ""} echo "$WORD" > written`,
      folder: home,
      env: { PATH: "/usr/bin:/bin", WORD: "it's written" },
      isolation,
      root,
      user,
      limits: PROBE_LIMITS,
      onOutput(stream, chunk) {
        if (stream === "stdout") output += chunk.toString();
        else said += chunk.toString();
      },
    });
    const timer = setTimeout(() => void group.stop(0), PATIENCE_MS);
    const { isSuccess, text } = await group.ended;
    clearTimeout(timer);
    if (text.endsWith(": ENOENT")) return "it is not installed";
    if (!isSuccess) return `a command in it ${text}: ${said.trim().split("\n")[0]}`;
    if (output.includes(secret)) return "a command in it can read the data folder";
    if (output.includes("/environ")) return "a command in it can read the environment of other processes";
    const [uid, ...limits] = output.trim().split("\n");
    if (kind === "podman" && !limits.includes(String(memoryBytesOf(PROBE_LIMITS))))
      return "its limit of memory has no effect, which needs cgroups v2 that are delegated to this user, or root";
    if (uid !== String(user?.uid ?? isolation.self.uid)) return "a command in it has the wrong user";
    const written = readFileSync(path.join(home, "written"), "utf8");
    return written === "it's written\n" ? null : "a command in it does not get its environment";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    neighbour.kill("SIGKILL");
    rmSync(at, { recursive: true, force: true });
  }
}
