import { type ComponentType, lazy, type LazyExoticComponent } from "react";

/**
 * A component with a file of its own, which is loaded at its first use. Show it in a `Suspense`, by a transition if
 * something else has its place before: that stays, with the focus, until the file is there.
 */
export function loadLater<P>(load: () => Promise<ComponentType<P>>): {
  readonly Component: LazyExoticComponent<ComponentType<P>>;
  /** Loads the file when the user is about to use the component. A failure is reported at the use. */
  readonly prefetch: () => void;
} {
  return {
    Component: lazy(async () => ({ default: await load() })),
    prefetch: () => void load().catch(() => undefined),
  };
}
