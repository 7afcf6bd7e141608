/**
 * Calls that arrive late. A worker that dies, or stands still for so long that others take its work over, may
 * have a call on its way, and no cloud takes one back. Where an idempotency token does not hold such a call off,
 * because what the token stood for is gone, it has to be waited out.
 */
import { CloudError } from "../cloud.ts";
import { ATTEMPT_MS, CALL_MS } from "./policy.ts";

/**
 * For so long after it was noted as begun, a call may still arrive at the cloud: 45 s + 15 s = 60 s. Its last request
 * leaves before its deadline, `CALL_MS` after the noted beginning, however often it was repeated and whatever it waited
 * for (`policy.ts`). What has left is taken to arrive within the time of an attempt, `ATTEMPT_MS`, or never.
 */
export const STRAGGLER_MS = CALL_MS + ATTEMPT_MS;

/** A call that is noted as begun. */
export type StartedCall = {
  readonly startedAt: Date;
  /** When an earlier one began whose outcome is still unknown; null where there is none. */
  readonly startedBefore: Date | null;
};

/** @param startedAt of a call of unknown outcome; null where there is none */
export function stragglesUntilMs(startedAt: Date | null): number {
  return startedAt === null ? 0 : startedAt.getTime() + STRAGGLER_MS;
}

/** Whether a call that failed so will not take effect any more. */
export function hasKnownEnd(error: unknown): boolean {
  return error instanceof CloudError && (error.kind !== "retryable" || error.code === "THROTTLED");
}
