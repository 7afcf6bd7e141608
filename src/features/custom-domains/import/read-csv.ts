const HEADINGS: ReadonlySet<string> = new Set([
  "domain",
  "domains",
  "domain name",
  "name",
  "host",
  "hostname",
]);

/**
 * The first cells of a CSV (RFC 4180; separated by commas, semicolons or tabs), by line: a line that is a heading, or
 * continues a quoted cell, is blank. So the index of a name is that of its line. Pure.
 */
export function readFirstCells(text: string): readonly string[] {
  const cells: string[] = [];
  let cell = "";
  let isFirst = true;
  let isQuoted = false;
  const endLine = (): void => {
    cells.push(cell.trim());
    cell = "";
  };
  const bare = text.startsWith("\uFEFF") ? text.slice(1) : text;
  for (let at = 0; at < bare.length; at += 1) {
    const character = bare.charAt(at);
    if (character === '"') {
      // Two quotes within quotes are one.
      if (isQuoted && bare.charAt(at + 1) === '"') {
        at += 1;
        if (isFirst) cell += character;
      } else isQuoted = !isQuoted;
    } else if (character === "\n" || character === "\r") {
      if (character === "\r" && bare.charAt(at + 1) === "\n") at += 1;
      endLine();
      // What continues a quoted cell is no first cell.
      isFirst = !isQuoted;
    } else if (!isQuoted && (character === "," || character === ";" || character === "\t")) isFirst = false;
    else if (isFirst) cell += character;
  }
  endLine();
  while (cells.at(-1) === "") cells.pop();
  if (HEADINGS.has((cells[0] ?? "").toLowerCase())) cells[0] = "";
  return cells;
}
