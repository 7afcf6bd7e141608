/** Where the values of a `.env` file go, and what that changes. Pure. */
import type { EnvVariable, EnvVariablesPlan } from "../../../../sdk/src/index.ts";
import { type Changes, changesOfValues } from "./send.ts";
import { isOwn, isWritten, storeOf, type WrittenKind } from "./stores.ts";

export type Change = {
  readonly name: string;
  /** `unknown`: a managed value, which cannot be read and compared. It is stored again. */
  readonly change: "added" | "changed" | "unchanged" | "unknown" | "deleted" | "refused";
  readonly store: string;
  /** Why it is refused. */
  readonly says: string | null;
};

export type FileOptions = {
  /** For all names; null: each keeps its own. */
  readonly store: WrittenKind | null;
  /** Of new names. */
  readonly newStore: WrittenKind;
  /** Whether plain variables go that the file does not name. Managed ones stay: a pulled file cannot have them. */
  readonly isPruned: boolean;
  /** Whether a file from `env pull` would have this value. If not, `--prune` leaves it, too. */
  readonly isHeld: (name: string, value: string) => boolean;
};

/** The body that sets all values of a file, and deletes what `--prune` removes. */
export function planFile(
  values: Readonly<Record<string, string>>,
  present: readonly EnvVariable[],
  options: FileOptions,
): Changes {
  const own = new Map(present.filter(isOwn).map((one) => [one.name, one]));
  const kindOf = (name: string): WrittenKind => {
    const now = own.get(name);
    const kind = now?.pending?.kind ?? now?.kind;
    const kept = kind !== undefined && isWritten(kind) ? kind : null;
    return options.store ?? kept ?? options.newStore;
  };
  const set = Object.entries(values).map(([name, value]) => ({ name, value, kind: kindOf(name) }));
  const isDeleted = ({ name, kind, value }: EnvVariable): boolean =>
    options.isPruned &&
    kind === "plainText" &&
    !Object.hasOwn(values, name) &&
    options.isHeld(name, value ?? "");
  return withDeleted(
    changesOfValues(set),
    [...own.values()].filter(isDeleted).map(({ name }) => name),
  );
}

const withDeleted = (changes: Changes, names: readonly string[]): Changes =>
  names.length === 0 ? changes : { ...changes, delete: names };

/** What the server says of it, by name. */
export function changesOf(plan: EnvVariablesPlan): readonly Change[] {
  const named = (["added", "changed", "unchanged", "unknown", "deleted"] as const).flatMap((change) =>
    plan[change].map(({ name, kind }): Change => ({ name, change, store: storeOf(kind), says: null })),
  );
  return [
    ...named,
    ...plan.refused.map(({ name, kind, message }): Change => ({
      name,
      change: "refused",
      store: storeOf(kind),
      says: message,
    })),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The part of a body that changes anything. */
export function withoutUnchanged(
  { delete: names = [], ...groups }: Changes,
  changes: readonly Change[],
): Changes {
  const unchanged = new Set(changes.flatMap(({ name, change }) => (change === "unchanged" ? [name] : [])));
  const entries = Object.entries(groups).map(
    ([kind, values]) =>
      [
        kind,
        Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => !unchanged.has(name))),
      ] as const,
  );
  return withDeleted(
    Object.fromEntries(entries.filter(([, values]) => Object.keys(values).length > 0)),
    names,
  );
}
