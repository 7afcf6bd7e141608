/** Short news of what was just done, for eyes and for screen readers. What must be read is not said here. */
import { useSyncExternalStore } from "react";
import css from "./toast.module.css";

const SHOWN_MS = 5_000;
const MOST = 3;

type Toast = { readonly id: number; readonly text: string };

let shown: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function toast(text: string): void {
  lastId += 1;
  const id = lastId;
  show([...shown, { id, text }].slice(-MOST));
  setTimeout(() => show(shown.filter((one) => one.id !== id)), SHOWN_MS);
}

/** Where they appear: once, at the end of the page. */
export function Toasts() {
  const toasts = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => shown,
  );
  return (
    <div className={css["region"]} role="status" aria-live="polite">
      {toasts.map(({ id, text }) => (
        <div key={id} className={css["toast"]}>
          {text}
        </div>
      ))}
    </div>
  );
}
