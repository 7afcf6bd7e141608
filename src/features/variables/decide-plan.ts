import type {
  EnvVariable,
  ListedVariable,
  ManagedKind,
  PlainVariable,
  VariableKind,
} from "./env-variable.ts";

type Planned = { readonly name: string; readonly kind: VariableKind };
type Refused = Planned & { readonly code: string; readonly message: string };

/** What a write would do to each variable. Each name is in one of the lists. */
export type WritePlan = {
  readonly added: readonly Planned[];
  readonly changed: readonly (Planned & { readonly previousKind: VariableKind })[];
  readonly unchanged: readonly Planned[];
  /** Managed values that replace managed values: whether they differ, only the cloud account knows. */
  readonly unknown: readonly Planned[];
  readonly deleted: readonly Planned[];
  /** If there are any, the whole write would be refused. */
  readonly refused: readonly Refused[];
};

/**
 * Compares a write with what there is. Values of managed variables are compared with nothing. Pure.
 * @param present what the list of the scope shows
 * @param deleted the names that would be deleted, or all others of the scope
 */
export function decidePlan(
  write: {
    readonly plain: readonly PlainVariable[];
    readonly managed: readonly { readonly name: string; readonly kind: ManagedKind }[];
    readonly refused: readonly Refused[];
  },
  present: readonly ListedVariable[],
  deleted: "others" | readonly string[],
): WritePlan {
  const refused = new Set(write.refused.map(({ name }) => name));
  const there = new Map(
    present
      .filter(({ source, state }) => source === "api" && state !== "REMOVING")
      .map((variable) => [variable.name, variable]),
  );
  const plan = {
    added: [] as Planned[],
    changed: [] as (Planned & { previousKind: VariableKind })[],
    unchanged: [] as Planned[],
    unknown: [] as Planned[],
  };
  const given = [...write.plain, ...write.managed];
  for (const one of given.toSorted(byName)) {
    const { name, kind } = one;
    if (refused.has(name)) continue;
    const old = there.get(name);
    // A newer value that is still being stored would be in effect next.
    const oldKind = old?.pendingKind ?? old?.kind;
    if (old === undefined || oldKind === undefined) plan.added.push({ name, kind });
    else if (oldKind !== kind) plan.changed.push({ name, kind, previousKind: oldKind });
    else if (!("plainValue" in one)) plan.unknown.push({ name, kind });
    else if (isSame(one, old)) plan.unchanged.push({ name, kind });
    else plan.changed.push({ name, kind, previousKind: oldKind });
  }
  const names = new Set(deleted === "others" ? given.map(({ name }) => name) : deleted);
  const isDeleted = ({ name }: Planned): boolean => names.has(name) === (deleted !== "others");
  return {
    ...plan,
    deleted: [...there.values()]
      .filter(isDeleted)
      .map(({ name, kind }) => ({ name, kind }))
      .toSorted(byName),
    refused: write.refused.toSorted(byName),
  };
}

type Setting = Pick<EnvVariable, "kind" | "plainValue" | "reference" | "linkedServiceId" | "linkedProperty">;

function isSame(one: Setting, other: Setting): boolean {
  return (
    one.kind === other.kind &&
    one.plainValue === other.plainValue &&
    one.reference === other.reference &&
    one.linkedServiceId === other.linkedServiceId &&
    one.linkedProperty === other.linkedProperty
  );
}

/** A variable that a configuration changes. `kind` is the new one, or of a removed variable the last one. */
export type ConfiguredChange = {
  readonly name: string;
  readonly kind: VariableKind;
  readonly change: "CREATED" | "CHANGED" | "REMOVED";
};

/** What a configuration changes of the variables of a scope that the previous configuration set. Pure. */
export function decideConfiguredChanges(
  before: readonly EnvVariable[],
  after: readonly PlainVariable[],
): readonly ConfiguredChange[] {
  const left = new Map(before.map((one) => [one.name, one]));
  const changes: ConfiguredChange[] = [];
  for (const one of after) {
    const { name, kind } = one;
    const known = left.get(name);
    left.delete(name);
    if (known === undefined) changes.push({ name, kind, change: "CREATED" });
    else if (!isSame(known, one)) changes.push({ name, kind, change: "CHANGED" });
  }
  return [
    ...changes,
    ...[...left.values()].map(({ name, kind }) => ({ name, kind, change: "REMOVED" as const })),
  ];
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
