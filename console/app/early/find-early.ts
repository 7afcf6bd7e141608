import { EARLY_READS } from "./reads.ts";

/** The signed-in user, which every page reads. */
const ME = "/v1/me";
const BASE = "/console";

export type Early = {
  readonly route: string;
  /** Addresses of the API. */
  readonly reads: readonly string[];
};

/**
 * What the page at an address needs from the beginning; null if the page needs nothing or does not exist. A page with a
 * filter in its address reads other lists, so only its route is known.
 * @param routes the paths of all pages; those with a fixed name before those with an id
 */
export function findEarly(
  { pathname, search }: { pathname: string; search: string },
  routes: readonly string[],
): Early | null {
  const parts = pathname.replace(BASE, "").replace(/\/$/, "").split("/");
  for (const route of routes) {
    const names = route.replace(/\/$/, "").split("/");
    const isIt =
      names.length === parts.length &&
      names.every((name, index) =>
        name.startsWith("$") ? /^\w+$/.test(parts[index] ?? "") : name === parts[index],
      );
    if (!isIt) continue;
    const fill = (address: string) =>
      address.replaceAll(/\$\w+/g, (name) => parts[names.indexOf(name)] ?? "");
    const reads = search === "" ? (EARLY_READS[route] ?? []) : [];
    return { route, reads: [ME, ...reads.map(fill)] };
  }
  return null;
}
