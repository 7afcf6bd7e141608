import { REPOSITORY_MAX_BYTES } from "../../cloud/platform.ts";

/** Limits and times of the sandbox's platform. */
export type PlatformTuning = {
  /** Of the files of a commit, and of its repository's packs. */
  readonly checkoutMaxBytes: number;
  readonly checkoutMaxFiles: number;
  readonly buildsAtOnce: number;
  /** Of each build's log the beginning is kept, of each release's the end. */
  readonly logMaxBytes: number;
  /** How long a release may take to answer its health check before it fails. */
  readonly healthTimeoutMs: number;
  /** First pause between two health checks; it grows to a second. */
  readonly healthIntervalMs: number;
  /** How often a release's process may end before it was healthy (ECS's circuit breaker: three at least). */
  readonly startAttempts: number;
  /** How long a worker must stay up to be live. */
  readonly workerSettleMs: number;
  /** How long requests in flight may take after the switch to another release. */
  readonly drainMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** First pause before a process that ended is started again; it doubles up to the longest. */
  readonly restartMs: number;
  readonly restartMaxMs: number;
  /** How long a request waits for a live release whose process is being started again. */
  readonly requestPatienceMs: number;
};

export const defaultPlatformTuning: PlatformTuning = {
  checkoutMaxBytes: REPOSITORY_MAX_BYTES,
  checkoutMaxFiles: 200_000,
  buildsAtOnce: 2,
  logMaxBytes: 10 * 1024 ** 2,
  healthTimeoutMs: 60_000,
  healthIntervalMs: 100,
  startAttempts: 3,
  workerSettleMs: 1_000,
  drainMs: 30_000,
  stopGraceMs: 10_000,
  restartMs: 500,
  restartMaxMs: 30_000,
  requestPatienceMs: 10_000,
};
