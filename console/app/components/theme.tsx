import { useSyncExternalStore } from "react";

const ITEM = "slipway.theme";
type Theme = "system" | "light" | "dark";

function readTheme(): Theme {
  const kept = localStorage.getItem(ITEM);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows the console in the theme that was chosen here; otherwise in the system's. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** The themes with their words, for a choice. */
export const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Keeps and shows a theme. Every switch follows. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(ITEM, theme);
  applyTheme(theme);
  dispatchEvent(new Event(ITEM));
}

function onTheme(changed: () => void): () => void {
  addEventListener(ITEM, changed);
  return () => removeEventListener(ITEM, changed);
}

/** The theme that is chosen here. */
export function useTheme(): Theme {
  return useSyncExternalStore(onTheme, readTheme);
}
