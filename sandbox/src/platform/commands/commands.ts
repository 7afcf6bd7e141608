/** The commands of repositories: whether they may run, and how they are isolated from Slipway and from each other. */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { SandboxLog } from "../../accounts/stacks.ts";
import type { SandboxState } from "../../state.ts";
import { isWrapped, pathsIn, type Isolation, type IsolationKind } from "./confine.ts";
import { findIsolation } from "./find-isolation.ts";
import type { Limits } from "./podman.ts";
import { endLeftovers } from "./leftovers.ts";
import { type CommandStart, type Ending, type ProcessGroup, startProcessGroup } from "./process-group.ts";
import {
  closeRoot,
  type CommandUsers,
  keepOut,
  letPass,
  openCommandUsers,
  openRoot,
  userIn,
} from "./command-users.ts";
import { findStrayDescriptors } from "./stray-descriptors.ts";
import { listWorld } from "./world.ts";

export type CommandOptions = {
  /** The PATH of commands; null forbids all commands. */
  readonly commandPath: string | null;
  /** `auto` uses the best isolation that this machine offers. */
  readonly isolation: IsolationKind | "auto";
  /** Folders that commands may read, in addition to the system's programs. */
  readonly readable: readonly string[];
  /** Slipway's own folders, which are hidden from commands except for their own folder. The sandbox is in the first. */
  readonly hidden: readonly string[];
  /** Whether Slipway can be reached from other machines. */
  readonly isExposed: boolean;
  /** Refuses all commands if the machine offers no isolation, even those of a single organization. */
  readonly isolationRequired: boolean;
};

export type Commands = {
  /** A sentence for the operator about how commands run. */
  describe(): string;
  /** Why commands are refused now; null if they may run. */
  refusal(): { readonly code: string; readonly message: string } | null;
  /** Prepares the root of a build or a release for its commands. */
  open(accountId: string, root: string): Promise<void>;
  /** Starts a command in `root`, which must have been opened. Its environment also has `PATH` and `HOME`. */
  start(options: CommandStart & { readonly accountId: string }): ProcessGroup;
  /** Takes a root back after its commands have ended. */
  close(root: string): Promise<void>;
  /** Whether there is more than one organization, or other machines can reach Slipway. */
  setShared(isShared: boolean): void;
};

/** @throws SandboxStartError when the machine does not offer the required isolation */
export async function openCommands(
  options: CommandOptions & {
    readonly state: SandboxState;
    /** The platform's own folder. */
    readonly root: string;
    readonly log: SandboxLog;
  },
): Promise<Commands> {
  const { commandPath, state, root, hidden, isolationRequired } = options;
  const tenancy = state.collection<{ readonly isShared: boolean }>("tenancy");
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const users = process.getuid?.() === 0 ? openCommandUsers(state) : null;
  // Processes left by a crash would write into folders that are removed or reused.
  endLeftovers(root);
  for (const name of readdirSync(root)) {
    if (name.startsWith("probe-")) rmSync(path.join(root, name), { recursive: true, force: true });
  }
  const isolation = commandPath === null ? null : await findBest(commandPath);

  async function findBest(programs: string): Promise<Isolation> {
    const emptyFolder = path.join(root, "empty");
    mkdirSync(emptyFolder, { recursive: true, mode: 0o700 });
    const { isolation: found, passedOver } = await findIsolation({
      required: options.isolation,
      prefersContainers: isolationRequired,
      folder: root,
      users,
      world: listWorld(programs, options.readable, hidden),
      emptyFolder,
      containerRoot: path.join(root, "container"),
      self,
      strayDescriptors: findStrayDescriptors(),
      setPassage: (isOpen) => {
        if (users !== null) setPassage(users, isOpen);
      },
    });
    if (passedOver.length > 0) {
      options.log.info({ isolation: found.kind, passedOver }, "Not every isolation of commands is available");
    }
    return found;
  }

  function setPassage({ first }: CommandUsers, isOpen: boolean): void {
    const outer = hidden.find((folder) => root.startsWith(`${folder}/`)) ?? root;
    const inner = ["", "builds", "releases", "executions", "stores"].map((name) => path.join(root, name));
    const between = path.relative(outer, root).split(path.sep);
    const around = between.map((_, index) => path.join(outer, ...between.slice(0, index)));
    for (const folder of new Set([...around, ...inner])) (isOpen ? letPass : keepOut)(folder, first);
  }

  const isShared = () => options.isExposed || tenancy.get("all")?.isShared === true;
  const refusal: Commands["refusal"] = () => {
    if (isolation === null) return FORBIDDEN;
    if (isolation.kind !== "none") return null;
    if (isolationRequired) return NOT_PROTECTED;
    return isShared() ? NOT_ISOLATED : null;
  };
  const found = (): Isolation => {
    if (isolation === null) throw new Error("Commands are forbidden.");
    return isolation;
  };
  return {
    describe: () => describe(isolation, users !== null, isShared(), isolationRequired),
    refusal,
    async open(accountId, at) {
      await openRoot(at, userIn(found(), users, accountId));
    },
    start({ accountId, env, ...run }) {
      const group = startProcessGroup({
        ...run,
        env: { PATH: commandPath ?? "", HOME: pathsIn(found(), run).home, ...env },
        isolation: found(),
        user: userIn(found(), users, accountId),
      });
      if (found().kind === "podman") return { ...group, ended: group.ended.then(explainMemory(run.limits)) };
      if (isWrapped(found())) return group;
      const ended = group.ended.finally(() => endLeftovers(run.root));
      return { ...group, ended };
    },
    async close(at) {
      if (isolation !== null && users !== null) await closeRoot(at);
    },
    setShared(isNowShared) {
      if (tenancy.get("all")?.isShared !== isNowShared) tenancy.put("all", { isShared: isNowShared });
    },
  };
}

function describe(
  isolation: Isolation | null,
  hasOwnUsers: boolean,
  isShared: boolean,
  isolationRequired: boolean,
): string {
  if (isolation === null) return "Commands of repositories are off (SLIPWAY_SANDBOX_PROCESSES).";
  const as = hasOwnUsers ? ", as a separate user for each account" : "";
  switch (isolation.kind) {
    case "podman":
      return `Commands of repositories run in containers, with limits of memory and processor (podman)${as}.`;
    case "bwrap":
    case "unshare":
      return `Commands of repositories run isolated, in their own namespaces (${isolation.kind})${as}.`;
    case "uid":
      return `Commands of repositories run as a separate user for each account, without their own namespaces (uid).`;
    case "none":
      if (isolationRequired)
        return "Commands of repositories are off: this machine offers no way to isolate them from Slipway. Install bubblewrap. Then restart Slipway.";
      return isShared
        ? "Commands of repositories are off: this machine offers no way to isolate them from Slipway, and Slipway has several organizations or is reachable from other machines."
        : "Commands of repositories run with the permissions of Slipway's own user, because this machine offers no way to isolate them. Install bubblewrap, or deploy only what you would run by hand.";
  }
}

/** The kernel kills what uses more memory than its container may have, and leaves no other trace in the command. */
function explainMemory(limits: Limits | null): (ending: Ending) => Ending {
  return (ending) =>
    limits === null || ending.text !== "was ended by SIGKILL"
      ? ending
      : {
          ...ending,
          text: `${ending.text}, probably because it needs more than its ${limits.memoryGb} GB of memory`,
        };
}

const FORBIDDEN = {
  code: "PROCESSES_FORBIDDEN",
  message: "Commands of repositories are forbidden on this server by SLIPWAY_SANDBOX_PROCESSES=off.",
};
const NOT_PROTECTED = {
  code: "COMMANDS_NOT_ISOLATED",
  message:
    "This server offers no way to isolate commands of a repository from the keys of Slipway, so it runs none: no build command, and no web or worker service. The operator can install bubblewrap, or run Slipway as root, and restart Slipway.",
};
const NOT_ISOLATED = {
  code: "COMMANDS_NOT_ISOLATED",
  message:
    "The sandbox's machine offers no way to isolate commands of a repository from Slipway. So it runs them only for a single organization, and only if Slipway is not reachable from other machines. The operator can install bubblewrap, or run Slipway as root.",
};
