/**
 * Calls that arrive late. A worker that dies, or stands still for so long that others take over its work, may
 * have sent a call, and no cloud can take a call back. If an idempotency token does not stop such a call, because
 * the resource that the token stood for was deleted, we have to wait it out.
 */
import { CloudError } from "../cloud.ts";
import { ATTEMPT_MS, CALL_MS } from "./policy.ts";

/**
 * How long after its noted start a call may still arrive at the cloud: 45 s + 15 s = 60 s. Its last request
 * leaves before its deadline, `CALL_MS` after the noted start, however often it was repeated and whatever it waited
 * for (`policy.ts`). A request that was sent arrives within the time of an attempt, `ATTEMPT_MS`, or never.
 */
export const STRAGGLER_MS = CALL_MS + ATTEMPT_MS;

/** A call whose start was noted. */
export type StartedCall = {
  readonly startedAt: Date;
  /** The start of an earlier call of unknown outcome; null if there is none. */
  readonly startedBefore: Date | null;
};

/** @param startedAt of a call of unknown outcome; null if there is none */
export function stragglesUntilMs(startedAt: Date | null): number {
  return startedAt === null ? 0 : startedAt.getTime() + STRAGGLER_MS;
}

/** Whether a call that failed with this error can no longer take effect. */
export function isOutcomeKnown(error: unknown): boolean {
  return error instanceof CloudError && (error.kind !== "retryable" || error.code === "THROTTLED");
}
