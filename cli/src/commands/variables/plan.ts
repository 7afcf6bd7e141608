/** Where the values of a `.env` file go, and what that changes. Pure. */
import type { EnvVariable, EnvVariablesPlan } from "../../../../sdk/src/index.ts";
import type { Groups } from "./send.ts";
import { isOwn, isWritten, storeOf, type WrittenKind } from "./stores.ts";

export type Change = {
  readonly name: string;
  /** `unknown`: a managed value, of which nobody can say whether it is another. It is stored again. */
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
};

/** The body that sets all values of a file, and the names to delete. */
export function planFile(
  values: Readonly<Record<string, string>>,
  present: readonly EnvVariable[],
  options: FileOptions,
): { readonly groups: Groups; readonly deleted: readonly string[] } {
  const own = new Map(present.filter(isOwn).map((one) => [one.name, one]));
  const groups: Groups = {};
  for (const [name, value] of Object.entries(values)) {
    const now = own.get(name);
    const kind = now?.pending?.kind ?? now?.kind;
    const kept = kind !== undefined && isWritten(kind) ? kind : null;
    (groups[options.store ?? kept ?? options.newStore] ??= {})[name] = value;
  }
  const isDeleted = ({ name, kind }: EnvVariable): boolean =>
    options.isPruned && kind === "plainText" && !(name in values);
  return { groups, deleted: [...own.values()].filter(isDeleted).map(({ name }) => name) };
}

/** What the server says of it, and what is deleted besides, by name. */
export function changesOf(plan: EnvVariablesPlan, deleted: readonly string[]): readonly Change[] {
  const named = (["added", "changed", "unchanged", "unknown"] as const).flatMap((change) =>
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
    ...deleted.map((name): Change => ({ name, change: "deleted", store: "plain", says: null })),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The part of a body that changes anything. */
export function withoutUnchanged(groups: Groups, changes: readonly Change[]): Groups {
  const unchanged = new Set(changes.flatMap(({ name, change }) => (change === "unchanged" ? [name] : [])));
  const entries = Object.entries(groups).map(
    ([kind, values]) =>
      [kind, Object.fromEntries(Object.entries(values).filter(([name]) => !unchanged.has(name)))] as const,
  );
  return Object.fromEntries(entries.filter(([, values]) => Object.keys(values).length > 0));
}
