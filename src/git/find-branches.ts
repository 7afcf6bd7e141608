import type { Branch } from "./git.ts";

/** Callers find others with a search. */
const BRANCHES_SHOWN_MAX = 100;

export type FoundBranches = { readonly branches: readonly Branch[]; readonly hasMore: boolean };

/** The branches whose name has a part, in any case, by name, but the usual default branches first: at most 100. */
export function findBranches(branches: readonly Branch[], search = ""): FoundBranches {
  const part = search.toLowerCase();
  const found = branches
    .filter(({ name }) => name.toLowerCase().includes(part))
    .toSorted((one, other) => rankOf(one) - rankOf(other) || (one.name < other.name ? -1 : 1));
  return { branches: found.slice(0, BRANCHES_SHOWN_MAX), hasMore: found.length > BRANCHES_SHOWN_MAX };
}

function rankOf({ name }: Branch): number {
  const rank = ["main", "master"].indexOf(name);
  return rank === -1 ? 2 : rank;
}
