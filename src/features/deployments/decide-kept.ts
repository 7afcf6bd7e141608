import { isDeepStrictEqual } from "node:util";
import { imageOf, type Workload } from "../../cloud/platform.ts";
import { matchesGlob } from "../../lib/matches-glob.ts";

/** A service when a push is to be deployed. */
export type PushedService = {
  /** What runs; null before its first release. */
  readonly live: Workload | null;
  /** What would be built; null for an external service. */
  readonly wanted: Workload | null;
  /** Whether a setting or a variable of it changed since it was released. */
  readonly isReconfigured: boolean;
  /** Since the commit that runs; null if the git host does not say. */
  readonly changedFiles: readonly string[] | null;
  /** Lists of patterns: those of its environment, and its own. */
  readonly watchPaths: readonly (readonly string[])[];
};

/** Whether a push leaves a service as it is: it changes no file of one of the lists, or the service runs an image. Pure. */
export function isKept({ live, wanted, isReconfigured, changedFiles, watchPaths }: PushedService): boolean {
  if (live === null || isReconfigured) return false;
  // A release with other settings may have failed.
  if (!isDeepStrictEqual(live, wanted)) return false;
  // No push changes the files of an image.
  if (imageOf(live) !== null) return true;
  if (changedFiles === null) return false;
  return watchPaths
    .filter((patterns) => patterns.length > 0)
    .some((patterns) => !changedFiles.some((file) => patterns.some((pattern) => matchesGlob(file, pattern))));
}
