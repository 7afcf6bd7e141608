/** What the palette offers: the places of the console, and what the shown page registers. */
import { useEffect, useRef } from "react";

export type QuickAction = {
  /** What it does, beginning with a verb, such as `Deploy Shop`. */
  readonly label: string;
  /** Where it leads, of `paths`; or what it does. */
  readonly to?: string;
  readonly run?: () => void;
};

const registered = new Set<{ readonly current: readonly QuickAction[] }>();

/** Offers actions in the palette while the page is shown. */
export function useQuickActions(actions: readonly QuickAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    registered.add(latest);
    return () => void registered.delete(latest);
  }, []);
}

/** What the shown page offers now. */
export function quickActions(): readonly QuickAction[] {
  return [...registered].flatMap(({ current }) => current);
}
