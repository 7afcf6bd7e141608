import { stragglesUntilMs } from "../../cloud/calls/stragglers.ts";
import type { WaitingItem, ManagedValue, ManagedKind } from "./env-variable.ts";

/** How long a run's values can be opened. The keys that seal them are destroyed soon after. */
export const RUN_LIFE_MS = 24 * 60 * 60_000;

export type ItemStep =
  /** A newer write of the name was accepted, and no call of this one can still arrive. */
  | { readonly kind: "supersede"; readonly item: WaitingItem }
  | { readonly kind: "expire"; readonly item: WaitingItem }
  /**
   * A newer write was accepted, but a call of this one may still arrive at the same place. So it is first made
   * again with its token: the straggler then finds its work done instead of undoing the newer write.
   */
  | { readonly kind: "settle"; readonly item: WaitingItem }
  | { readonly kind: "put"; readonly item: WaitingItem }
  | { readonly kind: "wait"; readonly untilMs: number };

/**
 * What to do now about the waiting items of one name, in this order.
 * @param items all of one name in one scope, oldest write first
 */
export function decideVariableItems(items: readonly WaitingItem[], now: Date): readonly ItemStep[] {
  const newest = items.at(-1);
  if (newest === undefined) return [];
  const steps: ItemStep[] = [];
  const isWinning = !isOutdated(newest);
  const dueMs = Math.max(newest.nextAttemptAt?.getTime() ?? 0, safeMs(newest));
  const isDue = dueMs <= now.getTime();
  for (const item of items.slice(0, -1)) {
    const needsSettling = item.attemptOpen && item.kind === newest.kind && isWinning;
    if (!needsSettling || hasExpired(item, now)) steps.push({ kind: "supersede", item });
    else if (isDue && !hasExpired(newest, now)) steps.push({ kind: "settle", item });
  }
  if (!isWinning) steps.push({ kind: "supersede", item: newest });
  else if (hasExpired(newest, now)) steps.push({ kind: "expire", item: newest });
  else if (isDue) steps.push({ kind: "put", item: newest });
  else steps.push({ kind: "wait", untilMs: dueMs });
  return steps;
}

/** When calls from before a removal can no longer undo a put. */
function safeMs({ putNotBefore, deleteStartedAt }: WaitingItem): number {
  return Math.max(putNotBefore?.getTime() ?? 0, stragglesUntilMs(deleteStartedAt));
}

function isOutdated(item: WaitingItem): boolean {
  return item.variableGeneration !== null && item.variableGeneration > item.generation;
}

function hasExpired(item: WaitingItem, now: Date): boolean {
  return now.getTime() - item.runCreatedAt.getTime() >= RUN_LIFE_MS;
}

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

/** The next steps for one name, in this order. */
export type NamePlan = readonly ItemStep[];

export type ValueRemoval = {
  readonly value: ManagedValue;
  readonly step: Exclude<RemovalStep, { kind: "wait" }>;
};

/** The result of reading a scope's rows: what is due now, and the time until something else is due. */
export type Due<T> = {
  readonly now: readonly T[];
  /** Null if nothing waits. */
  readonly nextMs: number | null;
};

/** @param waiting everything that waits in one scope; for each name, the oldest write first */
export function decideWrites(waiting: readonly WaitingItem[], now: Date): Due<NamePlan> {
  const plans = [...Map.groupBy(waiting, ({ name }) => name).values()].map((items) =>
    decideVariableItems(items, now),
  );
  return {
    now: plans.filter((steps) => steps.some(({ kind }) => kind !== "wait")),
    nextMs: nextMs(plans.flat(), now),
  };
}

/** @param unused values that no variable and no waiting item uses */
export function decideRemovals(unused: readonly ManagedValue[], now: Date): Due<ValueRemoval> {
  const steps = unused.map((value) => ({ value, step: decideRemoval(value, now) }));
  return {
    now: steps.flatMap(({ value, step }) => (step.kind === "wait" ? [] : [{ value, step }])),
    nextMs: nextMs(
      steps.map(({ step }) => step),
      now,
    ),
  };
}

/** The store that a plan writes to; null if it makes no call. */
export function storeOfPlan(steps: NamePlan): ManagedKind | null {
  return steps.find((step) => step.kind === "put")?.item.kind ?? null;
}

function nextMs(steps: readonly (ItemStep | RemovalStep)[], now: Date): number | null {
  const untilMs = steps.flatMap((step) => (step.kind === "wait" ? step.untilMs : []));
  return untilMs.length === 0 ? null : Math.max(0, Math.min(...untilMs) - now.getTime());
}
