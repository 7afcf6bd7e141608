import { REPOSITORY_MAX_BYTES } from "../../../src/cloud/platform.ts";

/** Limits and times of the sandbox's platform. */
export type PlatformTuning = {
  /** The limit for the files of a commit, and for its repository's packs. */
  readonly checkoutMaxBytes: number;
  readonly checkoutMaxFiles: number;
  /** A git host that does not answer is asked again, after each of these pauses. */
  readonly hostPausesMs: readonly number[];
  readonly buildsAtOnce: number;
  /** A build's log keeps its beginning, a release's log its end. */
  readonly logMaxBytes: number;
  /** An execution's log keeps its end. */
  readonly executionLogMaxBytes: number;
  /** Of one account; the others wait. */
  readonly executionsAtOnce: number;
  /** How long a release may take to become healthy before it fails, unless its service has a grace period. */
  readonly healthTimeoutMs: number;
  /** How long the command before a release may take. */
  readonly preDeployLimitMs: number;
  /** First pause between two health checks; it grows to a second, or to the service's interval. */
  readonly healthIntervalMs: number;
  /** How often a release's process may end before it is healthy (ECS's circuit breaker: three or more). */
  readonly startAttempts: number;
  /** How long a worker must stay up to be live. */
  readonly workerSettleMs: number;
  /** How long running requests may take after the switch to another release. */
  readonly drainMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** First pause before a restart of a process that ended; it doubles up to the longest. */
  readonly restartMs: number;
  readonly restartMaxMs: number;
  /** How long a request waits for a live release whose process is being restarted. */
  readonly requestPatienceMs: number;
  /** How long a request waits for the processes that it woke. */
  readonly wakePatienceMs: number;
};

export const defaultPlatformTuning: PlatformTuning = {
  checkoutMaxBytes: REPOSITORY_MAX_BYTES,
  checkoutMaxFiles: 200_000,
  hostPausesMs: [2_000, 10_000],
  buildsAtOnce: 2,
  logMaxBytes: 10 * 1024 ** 2,
  executionLogMaxBytes: 2 * 1024 ** 2,
  executionsAtOnce: 50,
  healthTimeoutMs: 60_000,
  preDeployLimitMs: 30 * 60_000,
  healthIntervalMs: 100,
  startAttempts: 3,
  workerSettleMs: 1_000,
  drainMs: 30_000,
  stopGraceMs: 10_000,
  restartMs: 500,
  restartMaxMs: 30_000,
  requestPatienceMs: 10_000,
  wakePatienceMs: 60_000,
};
