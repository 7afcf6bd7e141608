/**
 * Which rows of a list are selected. It is kept outside of the list's state, so that a click draws one checkbox and not
 * thousands of rows.
 */
import { useState, useSyncExternalStore } from "react";

export type Selection = {
  readonly has: (id: string) => boolean;
  readonly size: () => number;
  readonly set: (ids: readonly string[], isSelected: boolean) => void;
  readonly clear: () => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** A new object after each change. */
  readonly ids: () => ReadonlySet<string>;
};

export function createSelection(): Selection {
  let ids: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();
  const change = (next: ReadonlySet<string>) => {
    ids = next;
    for (const listener of listeners) listener();
  };
  return {
    has: (id) => ids.has(id),
    size: () => ids.size,
    set: (changed, isSelected) => {
      const next = new Set(ids);
      for (const id of changed) {
        if (isSelected) next.add(id);
        else next.delete(id);
      }
      change(next);
    },
    clear: () => change(new Set()),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ids: () => ids,
  };
}

export function useSelection(): Selection {
  return useState(createSelection)[0];
}

/** Draws its component again when this row is selected or no longer. */
export function useIsSelected(selection: Selection, id: string): boolean {
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}

/** Draws its component again with each change. */
export function useSelectedIds(selection: Selection): ReadonlySet<string> {
  return useSyncExternalStore(selection.subscribe, selection.ids);
}
