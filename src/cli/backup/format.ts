/**
 * The format of backups, version 1: lines of JSON, compressed as a whole with gzip. The rows of a table lie between two
 * lines with its name. Only a whole backup has the last line. docs/reference/backup-files.md is for readers.
 *
 *     header │ for each table: its line, its rows, its end │ sequences │ complete
 */
import type { AppliedMigration } from "../../db/copy/read-rows.ts";
import type { Sequence } from "../../db/copy/tables.ts";
import type { Tally } from "../../db/copy/tally.ts";

export const FORMAT_VERSION = 1;

export type BackupHeader = {
  readonly slipwayBackup: number;
  /** The release that wrote it. */
  readonly release: string;
  readonly madeAt: string;
  /** The migrations that made the schema, with their checksums. */
  readonly schema: readonly AppliedMigration[];
  /** The at-rest keys of the key folder: their files, and marks that tell nothing of them. */
  readonly keys: readonly { readonly file: string; readonly mark: string }[];
  /** The mark of the key that signs it. */
  readonly signedWith: string;
};

export type TableLine = { readonly table: string; readonly columns: readonly string[] };
export type EndLine = { readonly end: string } & Tally;
export type SequencesLine = { readonly sequences: readonly Sequence[] };
export type CompleteLine = {
  readonly complete: {
    readonly tables: number;
    readonly rows: number;
    /** SHA-256 of all lines before this one. */
    readonly checksum: string;
    readonly signature: string;
  };
};
