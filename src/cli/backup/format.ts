/**
 * The format of backups, version 1: lines of JSON, compressed as a whole with gzip. The rows of a table lie between two
 * lines with its name. Only a whole backup has the last line. A file may have been changed by others, so its lines are
 * checked before they are used. docs/reference/backup-files.md is for readers.
 *
 *     header │ for each table: its line, its rows, its end │ sequences │ complete
 */
import { type Static, Type } from "typebox";

export const FORMAT_VERSION = 1;

const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });

export const BackupHeader = Type.Object({
  slipwayBackup: Type.Integer(),
  /** The release that wrote it. */
  release: Text,
  madeAt: Text,
  /** The migrations that made the schema, with their checksums. */
  schema: Type.Array(Type.Object({ name: Text, checksum: Text })),
  /** The at-rest keys of the key folder: their files, and marks that reveal nothing of them. */
  keys: Type.Array(Type.Object({ file: Text, mark: Text })),
  /** The mark of the key that signs it. */
  signedWith: Text,
});
export type BackupHeader = Static<typeof BackupHeader>;

export const TableLine = Type.Object({ table: Text, columns: Type.Array(Text) });
export type TableLine = Static<typeof TableLine>;

export const EndLine = Type.Object({ end: Text, rows: Count, sum: Text });
export type EndLine = Static<typeof EndLine>;

export const SequencesLine = Type.Object({
  sequences: Type.Array(Type.Object({ name: Text, value: Text, isCalled: Type.Boolean() })),
});
export type SequencesLine = Static<typeof SequencesLine>;

export const CompleteLine = Type.Object({
  complete: Type.Object({
    tables: Count,
    rows: Count,
    /** SHA-256 of all lines before this one. */
    checksum: Text,
    signature: Text,
  }),
});
export type CompleteLine = Static<typeof CompleteLine>;
