/** The tables of an own server that runs, as lines over HTTP: a line with the name of each table, then its rows. */
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SandboxState } from "../state.ts";
import { type HostTable, readHostTables } from "./host-tables.ts";

const COPY = /^backup-[0-9a-f]+\.db/;
const COMPLETE = '{"complete":true}';

/** Copies the documents while the server works, and gives the copy. */
export async function* writeHostLines(state: SandboxState, dataDir: string): AsyncGenerator<string> {
  const file = path.join(dataDir, `backup-${randomBytes(8).toString("hex")}.db`);
  try {
    await state.copyTo(file);
    using database = new DatabaseSync(file, { readOnly: true });
    for await (const { name, columns, rows } of readHostTables(database, dataDir)) {
      yield `${JSON.stringify({ table: name, columns })}\n`;
      for await (const lines of rows) yield `${lines.join("\n")}\n`;
    }
    yield `${COMPLETE}\n`;
  } finally {
    removeCopies(dataDir, path.basename(file));
  }
}

/** Removes copies that a killed process left; with a name, only that one. */
export function removeCopies(dataDir: string, name?: string): void {
  for (const found of readdirSync(dataDir))
    if (COPY.test(found) && (name === undefined || found.startsWith(name)))
      rmSync(path.join(dataDir, found), { force: true });
}

/** Reads what `writeHostLines` wrote. The rows of a table are read before the next one is asked for. @throws if it breaks off */
export async function* readHostLines(lines: AsyncIterable<string>): AsyncGenerator<HostTable> {
  const all = lines[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await all.next();
    if (done === true) throw new Error("The copy of the server's folder is not complete.");
    return value;
  };
  let head = await next();
  async function* rows(): AsyncGenerator<readonly string[]> {
    for (;;) {
      const line = await next();
      if (!line.startsWith("[")) {
        head = line;
        return;
      }
      yield [line];
    }
  }
  while (head !== COMPLETE) {
    const { table, columns } = JSON.parse(head) as { table: string; columns: readonly string[] };
    yield { name: table, columns, rows: rows() };
  }
}
