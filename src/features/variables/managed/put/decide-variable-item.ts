import { stragglesUntilMs } from "../../../../cloud/calls/stragglers.ts";
import type { WaitingItem } from "../../env-variable.ts";

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
