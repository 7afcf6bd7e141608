/** What runs the services of accounts, with their managed values and their origins: the same in both kinds of small cloud. */
import path from "node:path";
import type { LookupAddress } from "node:dns";
import { createProxy } from "../../edge/src/origin-proxy.ts";
import { type AllowedHosts, parseAllowedHosts } from "../../src/egress/address-rules.ts";
import type { SafeFetchOptions } from "../../src/egress/safe-fetch.ts";
import { createParameters, createSecrets } from "./accounts/managed-values.ts";
import { keepSealed, type ValueKeeper } from "./accounts/value-keeper.ts";
import type { SandboxLog } from "./accounts/stacks.ts";
import type { GitRepositories } from "./git/git-repositories.ts";
import { createLocalSource } from "./platform/builds/build-source.ts";
import { openRemoteSource } from "./platform/builds/remote-source.ts";
import type { CommandOptions } from "./platform/commands/commands.ts";
import { openPlatform } from "./platform/platform.ts";
import { SandboxStartError } from "./start-error.ts";
import type { SandboxState } from "./state.ts";
import type { SandboxTuning } from "./tuning.ts";
import type { Undo } from "./undo.ts";
import type { Vault } from "./vault.ts";

export type WorkloadOptions = {
  /** The small cloud's own folder. It is created if missing, and locked by one process at a time. */
  readonly dataDir: string;
  /**
   * PATH of the commands of repositories, after Node's own folder; null forbids all commands.
   * Defaults to the usual folders.
   */
  readonly commandPath?: string | null;
  /** How commands are isolated; by default the best that the machine offers. */
  readonly isolation?: CommandOptions["isolation"];
  /** Folders that commands may read, in addition to the system's programs. */
  readonly readable?: readonly string[];
  /** Slipway's own folders, first the folder that contains `dataDir`; by default only `dataDir`. */
  readonly hidden?: readonly string[];
  /** Hosts and networks that are not public, but may still be origins of `external` services. */
  readonly allowedOrigins?: readonly string[];
};

/** Where builds get their commits: repositories on this disk, or the git hosts that these rules allow. */
type Sources =
  | { readonly kind: "repositories"; readonly repositories: GitRepositories }
  | { readonly kind: "git-hosts"; readonly egress: SafeFetchOptions };

/** @throws SandboxStartError */
export async function openWorkloads(
  parts: WorkloadOptions & {
    readonly state: SandboxState;
    readonly vault: Vault;
    /** By default, the documents have the values, sealed. */
    readonly keeper?: ValueKeeper;
    readonly sources: Sources;
    readonly tuning: SandboxTuning;
    readonly now: () => number;
    readonly log: SandboxLog;
    readonly undo: Undo;
    /** The name that requests to origins carry. */
    readonly proxyName: string;
    readonly lookUpFirst: (name: string) => readonly LookupAddress[];
    readonly isolationFor: Pick<CommandOptions, "isExposed" | "isolationRequired">;
  },
) {
  const { state, vault, sources, tuning, log, undo, proxyName, lookUpFirst } = parts;
  const values = { vault, keeper: parts.keeper ?? keepSealed(vault) };
  const parameters = createParameters(state, values, tuning);
  const secrets = createSecrets(state, values);
  const allowed = readAllowedOrigins(parts.allowedOrigins ?? []);
  const proxy = createProxy({ name: proxyName, lookUpFirst, allowed });
  undo.add(() => proxy.stop());
  const { dataDir, commandPath } = parts;
  const programs = commandPath ?? USUAL_PATH;
  const source =
    sources.kind === "repositories"
      ? createLocalSource(sources.repositories)
      : await openRemoteSource({ egress: sources.egress, root: dataDir, programs, log });
  const platform = await openPlatform({
    ...parts,
    source,
    parameters,
    secrets,
    proxy,
    tuning: tuning.platform,
    commands: {
      commandPath: withNode(commandPath),
      isolation: parts.isolation ?? "auto",
      readable: parts.readable ?? [],
      hidden: parts.hidden ?? [parts.dataDir],
      ...parts.isolationFor,
    },
  });
  undo.add(() => platform.stop());
  return { parameters, secrets, proxy, platform };
}

function readAllowedOrigins(entries: readonly string[]): AllowedHosts {
  try {
    return parseAllowedHosts(entries);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SandboxStartError(`SLIPWAY_SANDBOX_ALLOWED_ORIGINS: ${error.message}`);
  }
}

const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Commands first find the Node that runs Slipway. */
function withNode(commandPath: string | null = USUAL_PATH): string | null {
  return commandPath === null ? null : `${path.dirname(process.execPath)}:${commandPath}`;
}
