import type { ManagedValue } from "./env-variable.ts";

/**
 * For so long after it began, a call may still arrive at the cloud: its own time limit, and the time in
 * which a worker that stopped answering has been replaced.
 */
export const STRAGGLER_MS = 60_000;

export type RemovalStep =
  /** Nothing was ever put there. */
  | { readonly kind: "forget" }
  | { readonly kind: "remove" }
  | { readonly kind: "wait"; readonly untilMs: number };

/** What to do about a managed value that no variable and no waiting item uses. */
export function decideRemoval(value: ManagedValue, now: Date): RemovalStep {
  if (!value.mayExist) return { kind: "forget" };
  const dueMs = value.nextAttemptAt?.getTime() ?? 0;
  return dueMs > now.getTime() ? { kind: "wait", untilMs: dueMs } : { kind: "remove" };
}

/**
 * When a removal must be repeated: a put that began shortly before, and of which nobody knows the end,
 * might still arrive and leave a value behind. Null when this removal was the last.
 */
export function decideSecondRemoval(value: ManagedValue, removedAt: Date): Date | null {
  if (value.putStartedAt === null) return null;
  const safeAt = new Date(value.putStartedAt.getTime() + STRAGGLER_MS);
  return safeAt > removedAt ? safeAt : null;
}
