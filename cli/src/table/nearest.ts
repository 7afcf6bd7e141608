/** The word that a mistyped one most likely meant; null if none is near. */
export function nearest(typed: string, words: readonly string[]): string | null {
  let best: { readonly word: string; readonly edits: number } | null = null;
  for (const word of words) {
    const edits = word.startsWith(typed) && typed.length > 1 ? 1 : editsBetween(typed, word);
    if (edits <= Math.max(1, Math.floor(word.length / 3)) && (best === null || edits < best.edits))
      best = { word, edits };
  }
  return best?.word ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + cost,
          row > 1 && column > 1 && isSwap ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
