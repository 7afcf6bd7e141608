/**
 * Calls that arrive late. A worker that dies, or stands still for so long that others take its work over, may
 * have a call on its way, and no cloud takes one back. Where an idempotency token does not hold such a call off,
 * because what the token stood for is gone, it has to be waited out.
 */
import { CloudError } from "../cloud.ts";

/**
 * For so long after it began, a call may still arrive at the cloud: its own time limit, and the time in
 * which a worker that stopped answering has been replaced.
 */
export const STRAGGLER_MS = 60_000;

/** A call that is noted as begun. */
export type StartedCall = {
  readonly startedAt: Date;
  /** An earlier one began then, of which nobody knows the end still. */
  readonly startedBefore: Date | null;
};

/** @param startedAt of a call of which nobody knows the end; null where there is none */
export function stragglesUntilMs(startedAt: Date | null): number {
  return startedAt === null ? 0 : startedAt.getTime() + STRAGGLER_MS;
}

/** Whether a call that failed so will not take effect any more. */
export function hasKnownEnd(error: unknown): boolean {
  return error instanceof CloudError && (error.kind !== "retryable" || error.code === "THROTTLED");
}
