/** Reads a backup as a stream, and finds what is missing in it or was changed. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";
import type { CopySource, SourceTable } from "../../db/copy/write-rows.ts";
import { createTally } from "../../db/copy/tally.ts";
import type { Sequence } from "../../db/copy/tables.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { BackupHeader, CompleteLine, EndLine, FORMAT_VERSION, SequencesLine, TableLine } from "./format.ts";
import { explainFileError } from "./write-backup.ts";

export type Backup = {
  readonly header: BackupHeader;
  /** Its `sequences` also reads the end, and throws unless the backup is whole and as it was written. */
  readonly source: CopySource;
  close(): Promise<void>;
};

/** Rows come in batches of about this size. */
const BATCH_CHARS = 500_000;
/** Far above any row of Slipway. A small file can unpack to a line that does not fit into memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Opens a backup and reads its header.
 * @param isSigned checks the signature of the checksum; null: the signature is not checked
 * @throws OperatorError when this release cannot read it as a backup; its iterators throw it for damage
 */
export async function openBackup(
  file: string,
  isSigned: ((header: BackupHeader, checksum: string, signature: string) => boolean) | null,
): Promise<Backup> {
  const lines = readLines(file);
  const damaged = (what: string, cause?: unknown): OperatorError => describeDamage(file, what, cause);
  /** A line that was read and not used yet. */
  let kept: string | null = null;
  const next = async (): Promise<string> => {
    const line = kept ?? (await lines.next());
    kept = null;
    if (line === null) throw damaged("it is not complete");
    return line;
  };
  const nextObject = async <Schema extends TSchema>(schema: Schema): Promise<Static<Schema>> =>
    parseLine(file, await next(), schema);

  async function* readTable(name: string): AsyncGenerator<readonly string[]> {
    const tally = createTally();
    let batch: string[] = [];
    let chars = 0;
    for (;;) {
      const line = await next();
      const isRow = line.startsWith("[");
      if (!isRow || chars > BATCH_CHARS) {
        tally.add(batch);
        if (batch.length > 0) yield batch;
        batch = [];
        chars = 0;
      }
      if (!isRow) {
        kept = line;
        break;
      }
      batch.push(line);
      chars += line.length;
    }
    const found = tally.result();
    const end = await nextObject(EndLine);
    if (end.end !== name || end.rows !== found.rows || end.sum !== found.sum)
      throw damaged(`the rows of ${name} are not as they were written`);
  }

  async function* tables(): AsyncGenerator<SourceTable> {
    for (;;) {
      const line = await next();
      if (!line.startsWith('{"table":')) {
        kept = line;
        return;
      }
      const { table, columns } = parseLine(file, line, TableLine);
      yield { name: table, columns, rows: readTable(table) };
    }
  }

  async function sequences(): Promise<readonly Sequence[]> {
    const { sequences: found } = await nextObject(SequencesLine);
    const checksum = lines.checksum();
    const { complete } = await nextObject(CompleteLine);
    if (complete.checksum !== checksum) throw damaged("it is not as it was written");
    if (isSigned !== null && !isSigned(header, checksum, complete.signature)) {
      throw new OperatorError(
        `The backup ${file} was changed after it was made: its signature is not that of the installation's key.`,
      );
    }
    if ((await lines.next()) !== null) throw damaged("it has data after its end");
    return found;
  }

  const header = await readHeader(file, lines);
  return { header, source: { tables, sequences }, close: () => lines.close() };
}

/** @throws OperatorError when the line is not as Slipway writes it */
function parseLine<Schema extends TSchema>(file: string, line: string, schema: Schema): Static<Schema> {
  let content: unknown;
  try {
    content = JSON.parse(line);
  } catch (error) {
    throw describeDamage(file, "a line of it cannot be read", error);
  }
  if (!Check(schema, content)) throw describeDamage(file, "a line of it is not as Slipway writes it", null);
  return content;
}

async function readHeader(file: string, lines: Lines): Promise<BackupHeader> {
  const text = await lines.next();
  if (text?.startsWith('{"slipwayBackup":') !== true)
    throw new OperatorError(`${file} is not a backup of Slipway.`);
  const { slipwayBackup, release } = parseLine(
    file,
    text,
    Type.Pick(BackupHeader, ["slipwayBackup", "release"]),
  );
  if (slipwayBackup !== FORMAT_VERSION) {
    throw new OperatorError(
      `The backup ${file} has format ${slipwayBackup}, which this release cannot read. Use Slipway ${release} or a newer release.`,
    );
  }
  return parseLine(file, text, BackupHeader);
}

type Lines = {
  /** Without its line break; null at the end. @throws OperatorError */
  next(): Promise<string | null>;
  /** Of all lines so far. */
  checksum(): string;
  close(): Promise<void>;
};

function readLines(file: string): Lines {
  const hash = createHash("sha256");
  const input = createReadStream(file);
  const unpacked = createGunzip();
  input.on("error", (error) => unpacked.destroy(error));
  const chunks = input.pipe(unpacked)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let ahead: string[] = [];
  let at = 0;
  let rest: Buffer[] = [];
  let restBytes = 0;
  /** Puts the lines that the next bytes complete into `ahead`. @returns whether there were any bytes */
  const readOn = async (): Promise<boolean> => {
    const { value, done } = await chunks.next().catch((error: unknown) => {
      throw explainDamage(file, error);
    });
    if (done === true) return false;
    const end = value.lastIndexOf(LINE_BREAK);
    if (end === -1) {
      rest.push(value);
      restBytes += value.length;
      if (restBytes > MAX_LINE_BYTES) throw describeDamage(file, "a line of it is too long", null);
      return true;
    }
    const whole = Buffer.concat([...rest, value.subarray(0, end)]);
    rest = [value.subarray(end + 1)];
    restBytes = rest[0]?.length ?? 0;
    ahead = whole.toString("utf8").split("\n");
    at = 0;
    return true;
  };
  return {
    async next() {
      while (at >= ahead.length) {
        if (await readOn()) continue;
        if (rest.some(({ length }) => length > 0)) throw explainDamage(file, null);
        return null;
      }
      const line = ahead[at] ?? "";
      at += 1;
      hash.update(line).update("\n");
      return line;
    },
    checksum: () => hash.copy().digest("hex"),
    async close() {
      await chunks.return?.();
      input.destroy();
    },
  };
}

const LINE_BREAK = 0x0a;

function explainDamage(file: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error !== null && !code.startsWith("Z_")) return explainFileError(file, error);
  const said = error instanceof Error ? error.message : "";
  if (said === "incorrect header check") return new OperatorError(`${file} is not a backup of Slipway.`);
  const what = error === null || code === "Z_BUF_ERROR" ? "it is not complete" : "its bytes were changed";
  return describeDamage(file, what, error);
}

function describeDamage(file: string, what: string, cause: unknown): OperatorError {
  return new OperatorError(`The backup ${file} is damaged: ${what}. Use another one.`, { cause });
}
