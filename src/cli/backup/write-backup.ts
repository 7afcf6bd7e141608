/** Writes a backup. Its file gets its name when it is complete; until then it is named `….unfinished-…`. */
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { readRows, readSequences } from "../../db/copy/read-rows.ts";
import { listSequences, listTables } from "../../db/copy/tables.ts";
import { createTally } from "../../db/copy/tally.ts";
import type { SourceTable } from "../../db/copy/write-rows.ts";
import type { Transaction } from "../../db/database.ts";
import { syncFolder } from "../../lib/sync-folder.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import type { BackupHeader, CompleteLine, EndLine, SequencesLine, TableLine } from "./format.ts";

type Line = BackupHeader | TableLine | EndLine | SequencesLine | CompleteLine;

/**
 * The text of a backup, some lines at a time.
 * @param sign signs the checksum of everything before the last line
 * @param more tables that are not in the database
 */
export async function* backupText(
  tx: Transaction,
  header: BackupHeader,
  sign: (checksum: string) => string,
  more: AsyncIterable<SourceTable> | readonly SourceTable[],
): AsyncGenerator<string> {
  const checksum = createHash("sha256");
  const noted = (text: string): string => {
    checksum.update(text);
    return text;
  };
  const line = (content: Line): string => `${JSON.stringify(content)}\n`;
  yield noted(line(header));
  let rows = 0;
  let tables = 0;
  async function* textOf({ name, columns, rows: from }: SourceTable): AsyncGenerator<string> {
    yield noted(line({ table: name, columns: [...columns] }));
    const tally = createTally();
    for await (const lines of from) {
      tally.add(lines);
      yield noted(`${lines.join("\n")}\n`);
    }
    const result = tally.result();
    rows += result.rows;
    tables += 1;
    yield noted(line({ end: name, ...result }));
  }
  for (const table of await listTables(tx)) {
    const columns = table.columns.map(({ name }) => name);
    yield* textOf({ name: table.name, columns, rows: readRows(tx, table) });
  }
  for await (const table of more) yield* textOf(table);
  yield noted(line({ sequences: [...(await readSequences(tx, await listSequences(tx)))] }));
  const sum = checksum.digest("hex");
  yield line({ complete: { tables, rows, checksum: sum, signature: sign(sum) } });
}

/**
 * Writes a compressed file that survives a power cut. It never replaces a file.
 * @throws OperatorError when the file exists, or cannot be written
 */
export async function writeNewFile(file: string, text: AsyncIterable<string>): Promise<{ bytes: number }> {
  await refuseExisting(file);
  const draft = `${file}.unfinished-${randomBytes(4).toString("hex")}`;
  try {
    await pipeline(
      Readable.from(text),
      createGzip(),
      createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true }),
    );
    const { size } = await stat(draft);
    // Unlike a rename, a link never replaces a file that appeared meanwhile.
    await link(draft, file);
    await rm(draft);
    await syncFolder(path.dirname(file));
    return { bytes: size };
  } catch (error) {
    // If this fails, the reason is the same.
    await rm(draft, { force: true }).catch(() => undefined);
    throw explainFileError(file, error);
  }
}

/** @throws OperatorError */
export async function refuseExisting(file: string): Promise<void> {
  if ((await stat(file).catch(() => null)) === null) return;
  throw new OperatorError(`${file} exists. A backup replaces no file. Choose another path.`);
}

/** A sentence for what the file system refuses; any other error as it is. */
export function explainFileError(file: string, error: unknown): unknown {
  const code =
    error instanceof Error && "syscall" in error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  const reason = FILE_FAULTS[code] ?? `the file system answered ${code}.`;
  return new OperatorError(`The backup ${file} cannot be used: ${reason}`, { cause: error });
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EEXIST: "a file of this name has appeared. A backup replaces no file. Choose another path.",
  ENOENT: "there is no such file or folder.",
  ENOTDIR: "a part of its path is a file.",
  EISDIR: "it is a folder.",
  EACCES: "this user may not read or write there.",
  EPERM: "this user may not, or the file system has no hard links. Use another folder.",
  ENOTSUP: "the file system has no hard links. Use another folder.",
  EROFS: "the file system is mounted read-only.",
  ENOSPC: "the disk is full. Free some space, or use another disk.",
  EDQUOT: "the disk quota is used up. Free some space, or use another disk.",
};
