import type { Background } from "./background.ts";
import type { Commands } from "./commands/commands.ts";
import type { Logs } from "./logs.ts";
import type { Folders, PlatformStore } from "./store.ts";
import type { PlatformTuning } from "./tuning.ts";
import type { ResolveVariables } from "./variables.ts";

/** What builds, releases and executions share. */
export type WorkParts = {
  readonly store: PlatformStore;
  readonly folders: Folders;
  readonly logs: Logs;
  readonly background: Background;
  readonly tuning: PlatformTuning;
  readonly now: () => number;
  /** Runs commands, or refuses them. */
  readonly commands: Commands;
  readonly resolveVariables: ResolveVariables;
};
