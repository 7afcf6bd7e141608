/** Keys that do something anywhere. Those of a single key can be turned off, for people who speak their input. */
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { paths } from "../paths.ts";

const ITEM = "slipway.singleKeys";

/** After `g`: where the next key leads. */
export const GO_KEYS: Readonly<Record<string, { readonly words: string; readonly to: string }>> = {
  h: { words: "Home", to: paths.home() },
  p: { words: "Projects", to: paths.projects() },
  d: { words: "Deployments", to: paths.deployments() },
  v: { words: "Approvals", to: paths.approvals() },
  n: { words: "Domains", to: paths.domains() },
  a: { words: "Cloud accounts", to: paths.accounts() },
  w: { words: "Webhooks", to: paths.webhooks() },
  u: { words: "Users", to: paths.users() },
};

export function hasSingleKeys(): boolean {
  return localStorage.getItem(ITEM) !== "off";
}

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(ITEM, isOn ? "on" : "off");
}

/** Listens while the shell is shown. */
export function useShortcuts(on: { readonly openPalette: () => void; readonly openHelp: () => void }): void {
  const router = useRouter();
  const latest = useRef(on);
  latest.current = on;
  useEffect(() => {
    let isGoing = false;
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return latest.current.openPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !hasSingleKeys())
        return;
      const place = isGoing ? GO_KEYS[event.key] : undefined;
      isGoing = event.key === "g";
      if (place !== undefined) void router.navigate({ to: place.to });
      else if (event.key === "?") latest.current.openHelp();
      else if (event.key === "/") {
        event.preventDefault();
        const filter = findFilter();
        if (filter === null) latest.current.openPalette();
        else filter.focus();
      }
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [router]);
}

/** The first filter of the page; null if it has none. */
function findFilter(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>("main input[type=search]");
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, dialog, [role=dialog]") !== null)
  );
}
