import type { Deletion, VariableTime } from "../env-variable.ts";
import { decideEffective } from "./decide-effective.ts";

/** What a running release has not got yet. */
export type PendingRedeploy = {
  /** When the running release was given its variables. */
  readonly since: Date;
  /** By name. */
  readonly variables: readonly {
    readonly name: string;
    readonly from: "environment" | "service";
    readonly changedAt: Date;
    readonly isDeleted: boolean;
  }[];
};

/**
 * The variables that changed since a release of a service was given its own; null if there are none. Pure.
 * @param times of the variables of the service and its environment @param deletions of both
 */
export function decidePendingRedeploy(
  { serviceId, since }: { readonly serviceId: string; readonly since: Date },
  times: readonly VariableTime[],
  deletions: readonly Deletion[],
): PendingRedeploy | null {
  const effective = new Map(decideEffective(times, serviceId).map((one) => [one.name, one]));
  const changed = [...effective.values()]
    .filter(({ updatedAt }) => updatedAt > since)
    .map(({ name, from, updatedAt }) => ({ name, from, changedAt: updatedAt, isDeleted: false }));
  const known = new Set(changed.map(({ name }) => name));
  for (const { scopeId, name, at, firstSetAt } of deletions) {
    const from = scopeId === serviceId ? ("service" as const) : ("environment" as const);
    // The release never had it, or it was hidden by the service's own.
    if (at <= since || firstSetAt === null || firstSetAt > since || known.has(name)) continue;
    const now = effective.get(name);
    if (from === "environment" && now?.from === "service") continue;
    known.add(name);
    changed.push({ name, from, changedAt: at, isDeleted: now === undefined });
  }
  if (changed.length === 0) return null;
  return { since, variables: changed.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}
