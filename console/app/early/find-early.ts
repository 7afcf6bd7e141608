import { EARLY_PAGES } from "./pages.ts";

/** The signed-in user, which every page reads. */
const ME = "/v1/me";
const BASE = "/console";
/** Where `/console/` leads to. */
const HOME = "/projects";

export type Early = {
  /** The page's file, below `console/app`. */
  readonly file: string;
  /** Addresses of the API. */
  readonly reads: readonly string[];
};

/**
 * What the page at an address needs from the beginning; null if the page needs nothing or does not exist. A page with a
 * filter in its address reads other lists, so only its file is known.
 */
export function findEarly({ pathname, search }: { pathname: string; search: string }): Early | null {
  const parts = (pathname.replace(BASE, "").replace(/\/$/, "") || HOME).split("/");
  for (const [route, { file, reads = [] }] of Object.entries(EARLY_PAGES)) {
    const names = route.split("/");
    const isIt =
      names.length === parts.length &&
      names.every((name, index) =>
        name.startsWith("$") ? /^\w+$/.test(parts[index] ?? "") : name === parts[index],
      );
    if (!isIt) continue;
    const fill = (address: string) =>
      address.replaceAll(/\$\w+/g, (name) => parts[names.indexOf(name)] ?? "");
    return { file, reads: [ME, ...(search === "" ? reads.map(fill) : [])] };
  }
  return null;
}
