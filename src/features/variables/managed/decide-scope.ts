import type { ManagedKind, ManagedValue, WaitingItem } from "../env-variable.ts";
import { decideRemoval, type RemovalStep } from "./remove/decide-removal.ts";
import { decideVariableItems, type ItemStep } from "./put/decide-variable-item.ts";

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
