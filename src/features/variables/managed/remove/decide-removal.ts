import { stragglesUntilMs } from "../../../../cloud/calls/stragglers.ts";
import type { ManagedValue } from "../../env-variable.ts";

export type RemovalStep =
  /** Nothing was ever put there. */
  | { readonly kind: "forget" }
  | { readonly kind: "remove" }
  | { readonly kind: "wait"; readonly untilMs: number };

/** What to do with a managed value that no variable and no waiting item uses. */
export function decideRemoval(value: ManagedValue, now: Date): RemovalStep {
  if (!value.mayExist) return { kind: "forget" };
  const dueMs = value.nextAttemptAt?.getTime() ?? 0;
  return dueMs > now.getTime() ? { kind: "wait", untilMs: dueMs } : { kind: "remove" };
}

/**
 * When a removal must be repeated: an earlier call of unknown outcome may still arrive. A put would leave a value
 * behind; a removal would delete a value that was put there since, so nothing is put there before the repetition.
 * Null if this removal was the last one.
 */
export function decideSecondRemoval(
  { putStartedAt, deleteStartedAt }: Pick<ManagedValue, "putStartedAt" | "deleteStartedAt">,
  removedAt: Date,
): Date | null {
  const safeAt = new Date(Math.max(stragglesUntilMs(putStartedAt), stragglesUntilMs(deleteStartedAt)));
  return safeAt > removedAt ? safeAt : null;
}
