/** Ids of the file as ids of slipway.json. Pure. */

/** Valid and different ids, by the ids of the file. */
export function chooseIds(items: readonly { readonly id: string }[]): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  // Ids that stay as they are come first.
  for (const { id } of items.toSorted((a, b) => Number(isId(b.id)) - Number(isId(a.id)))) {
    const base = isId(id)
      ? id
      : id
          .replaceAll(/[^a-zA-Z0-9_-]+/g, "-")
          .replace(/^[-_]+/, "")
          .slice(0, 56) || "service";
    const taken = new Set(chosen.values());
    let free = base;
    for (let next = 2; taken.has(free); next += 1) free = `${base}-${next}`;
    chosen.set(id, free);
  }
  return chosen;
}

function isId(text: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,59}$/.test(text);
}
