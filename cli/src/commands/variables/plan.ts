/** What a `.env` file changes. Pure. */
import type { EnvVariable } from "../../../../sdk/src/index.ts";
import { isOwn, isWritten, storeOf, type WrittenKind } from "./stores.ts";

export type Change = {
  readonly name: string;
  /** `unknown`: a managed value, of which nobody can say whether it is another. It is stored again. */
  readonly change: "added" | "changed" | "unchanged" | "unknown" | "deleted";
  readonly store: string;
  /** Where the value goes; null for what is not sent. */
  readonly kind: WrittenKind | null;
};

export function planFile(
  values: Readonly<Record<string, string>>,
  present: readonly EnvVariable[],
  options: {
    /** For all names; null: each keeps its own, and new ones are plain. */
    readonly store: WrittenKind | null;
    /** Of new names only. */
    readonly newStore: WrittenKind;
    readonly isPruned: boolean;
  },
): readonly Change[] {
  const own = new Map(present.filter(isOwn).map((one) => [one.name, one]));
  const sent = Object.entries(values).map(([name, value]): Change => {
    const now = own.get(name);
    const nowKind = now?.pending?.kind ?? now?.kind;
    const kept = nowKind !== undefined && isWritten(nowKind) ? nowKind : null;
    const kind = options.store ?? kept ?? options.newStore;
    const store = storeOf(kind);
    if (nowKind === undefined) return { name, change: "added", store, kind };
    if (nowKind !== kind) return { name, change: "changed", store, kind };
    if (kind !== "plainText") return { name, change: "unknown", store, kind };
    return now?.value === value
      ? { name, change: "unchanged", store, kind: null }
      : { name, change: "changed", store, kind };
  });
  const pruned = [...own.values()].filter(
    ({ name, kind }) => options.isPruned && kind === "plainText" && !(name in values),
  );
  return [
    ...sent,
    ...pruned.map(({ name }): Change => ({ name, change: "deleted", store: "plain", kind: null })),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
