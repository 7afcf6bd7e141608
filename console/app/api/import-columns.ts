/** The columns of a pasted list, from its first line. Pure. */

/** Headings of the names themselves, which no list is grouped by. The server has the whole list (`read-csv.ts`). */
const OF_NAMES = /^(?:custom)?(?:domain|fqdn|host|website|site|url)(?:name|url|address)?s?$/;

/** The headings that names can be grouped by; empty if the first line has no headings. */
export function readColumns(text: string): readonly string[] {
  const [first = ""] = text
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== "" && !/^#|^sep=/i.test(line));
  const cells = first.split(/[,;\t|]/).map((cell) => cell.trim().replaceAll(/^"|"$/g, ""));
  // A heading contains no name of a domain.
  if (cells.length < 2 || cells.some((cell) => /\S\.\S/.test(cell))) return [];
  return [...new Set(cells)].filter(
    (cell) => cell !== "" && !OF_NAMES.test(cell.toLowerCase().replaceAll(/[\s_-]/g, "")),
  );
}
