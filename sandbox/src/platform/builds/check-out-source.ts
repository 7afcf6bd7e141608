import type { SourceCredentials } from "../../../../src/cloud/platform.ts";
import { GitError } from "../../../../src/git/git.ts";
import { pause } from "../../../../src/lib/pace/pause.ts";
import type { BuildInput } from "../../protocol.ts";
import type { LogWriter } from "../logs.ts";
import type { Folders } from "../store.ts";
import type { PlatformTuning } from "../tuning.ts";
import type { BuildSource } from "./build-source.ts";
import { checkOutApart } from "./check-out-apart.ts";
import type { CheckedOut } from "./checkout.ts";

const NAMED_POINTERS_MAX = 10;

type SourceOfBuild = {
  readonly id: string;
  readonly input: BuildInput;
  readonly credentials: SourceCredentials | null;
  readonly source: BuildSource;
  readonly folders: Folders;
  readonly tuning: PlatformTuning;
  readonly log: LogWriter;
};

/**
 * Puts the files of a build's commit into its folder, and notes in its log what is left out.
 * @throws BuildFailed, GitError, RepositoryFault, RepositoryUrlError
 */
export async function checkOutSource(build: SourceOfBuild, signal: AbortSignal): Promise<void> {
  const { folders, tuning, log } = build;
  const { commit, branch } = build.input.source;
  log.note(`Checking out commit ${commit} (branch ${branch}).`);
  const { submodules, lfsPointers } = await whileAway(() => checkOutOnce(build, signal), {
    pausesMs: tuning.hostPausesMs,
    onAway: ({ message }) => log.note(`${message} Trying again.`),
    signal,
  });
  await folders.dropFetched(build.id);
  if (submodules.length > 0) log.note(`Submodules are not fetched: ${submodules.join(", ")}.`);
  if (lfsPointers.length === 0) return;
  const others = lfsPointers.length - NAMED_POINTERS_MAX;
  const named = lfsPointers.slice(0, NAMED_POINTERS_MAX).join(", ");
  log.note(
    `Files of Git LFS are not fetched; these are only pointers: ${named}${others > 0 ? ` and ${others} more` : ""}.`,
  );
}

async function checkOutOnce(build: SourceOfBuild, signal: AbortSignal): Promise<CheckedOut> {
  const { id, input, credentials, source, folders, tuning } = build;
  const found = await source.find(input.source, credentials);
  signal.throwIfAborted();
  await folders.makeBuild(id);
  return await checkOutApart(
    {
      ...(found.kind === "local"
        ? { gitDir: found.gitDir, fetch: null }
        : { gitDir: folders.fetchedOf(id), fetch: found.fetch }),
      commit: input.source.commit,
      folder: folders.sourceOf(id),
      maxBytes: tuning.checkoutMaxBytes,
      maxFiles: tuning.checkoutMaxFiles,
    },
    signal,
  );
}

/** Repeats work while a git host does not answer. @throws the last error */
async function whileAway<T>(
  work: () => Promise<T>,
  options: {
    readonly pausesMs: readonly number[];
    readonly onAway: (error: GitError) => void;
    readonly signal: AbortSignal;
  },
): Promise<T> {
  for (const pauseMs of options.pausesMs) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== "HOST_UNAVAILABLE") throw error;
      options.onAway(error);
    }
    await pause(pauseMs, options.signal);
    options.signal.throwIfAborted();
  }
  return await work();
}
