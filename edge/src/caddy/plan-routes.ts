/** Which requests Caddy forwards to origins, and when a changed set of routes must reach it. Pure. */
import { isIP } from "node:net";
import type { AllowedHosts } from "../../../src/egress/address-rules.ts";
import { originAddressOf, originRefusal } from "../origin-proxy.ts";
import { wildcardOf } from "../requests.ts";
import type { DirectRoute } from "./caddy-config.ts";

/** A name that the edge serves. */
export type ServedName = {
  readonly name: string;
  /** The host to which it forwards; null: the edge answers itself, or forwards to the main machine. */
  readonly origin: string | null;
};

export type Routes = { readonly direct: readonly DirectRoute[]; readonly exceptions: readonly string[] };

/** @param systemNames resolved without a question to `startOriginNames`, so their addresses would not be checked */
export function planRoutes(
  served: readonly ServedName[],
  { allowed, systemNames }: { readonly allowed: AllowedHosts; readonly systemNames: ReadonlySet<string> },
): Routes {
  const isDirect = (origin: string): boolean => {
    const host = originAddressOf(origin).host.toLowerCase();
    if (isIP(host) !== 0) return originRefusal(allowed, host)(host) === null;
    return allowed.allowsName(host) || !systemNames.has(host.replace(/\.$/, ""));
  };
  const known = new Map<string, boolean>();
  const direct: DirectRoute[] = [];
  const others: string[] = [];
  for (const { name, origin } of served) {
    if (origin !== null && !known.has(origin)) known.set(origin, isDirect(origin));
    if (origin !== null && known.get(origin) === true) direct.push({ name, origin });
    else others.push(name);
  }
  const wildcards = new Set(direct.flatMap(({ name }) => (name.startsWith("*.") ? [name] : [])));
  const exceptions = others.filter((name) => wildcards.has(wildcardOf(name)));
  return { direct, exceptions };
}

/**
 * A new set of routes makes Caddy end idle connections and WebSockets. Requests of a name without a route are served all
 * the same, by this program; so routes that are only new can wait, and others cannot.
 */
export function urgencyOf(loaded: Routes, wanted: Routes): "none" | "later" | "now" {
  const before = new Map(loaded.direct.map(({ name, origin }) => [name, origin]));
  const after = new Map(wanted.direct.map(({ name, origin }) => [name, origin]));
  const exceptions = new Set(loaded.exceptions);
  if ([...before].some(([name, origin]) => after.get(name) !== origin)) return "now";
  if (wanted.exceptions.some((name) => !exceptions.has(name))) return "now";
  // A name that a wildcard's route took until now.
  const taken = wanted.direct.some(
    ({ name, origin }) => !before.has(name) && (before.get(wildcardOf(name)) ?? origin) !== origin,
  );
  if (taken) return "now";
  // The first names of a new edge.
  if (before.size === 0 && after.size > 0) return "now";
  return after.size > before.size || wanted.exceptions.length < exceptions.size ? "later" : "none";
}
