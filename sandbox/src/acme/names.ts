/** The names with certificates or orders, and the changes that they go through. */
import type { SandboxState } from "../state.ts";
import { type NameError, newName, nameId, type NameState } from "./name-state.ts";

export type Names = {
  get(id: string): NameState | undefined;
  values(): Iterable<NameState>;
  ensure(accountId: string, name: string, now: number): NameState;
  /** Writes a change to the disk. Does nothing for a name that was deleted meanwhile. */
  change(id: string, changes: Partial<Omit<NameState, "id" | "accountId" | "name">>): NameState | undefined;
  /** Keeps what went wrong, and writes only when it is something new. @returns whether it is */
  noteError(id: string, error: Omit<NameError, "at">, now: number): boolean;
  delete(id: string): void;
};

export function openNames(state: SandboxState): Names {
  const kept = state.collection<NameState>("acme-names");
  function change(id: string, changes: Partial<NameState>): NameState | undefined {
    const present = kept.get(id);
    if (present === undefined) return undefined;
    const changed = { ...present, ...changes };
    kept.put(id, changed);
    return changed;
  }
  return {
    get: (id) => kept.get(id),
    values: () => kept.values(),
    ensure(accountId, name, now) {
      const present = kept.get(nameId(accountId, name));
      if (present !== undefined) return present;
      const made = newName(accountId, name, now);
      kept.put(made.id, made);
      return made;
    },
    change,
    noteError(id, error, now) {
      const before = kept.get(id)?.error ?? null;
      if (before !== null && before.type === error.type && before.message === error.message) return false;
      return change(id, { error: { ...error, at: now } }) !== undefined;
    },
    delete: (id) => kept.delete(id),
  };
}
