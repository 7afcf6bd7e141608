/**
 * The sealed values of a table, for re-sealing after a key rotation (`SealedValues` in `src/sealing/reseal.ts`). Values
 * of all organizations are read and replaced.
 */
import { type Database, readAsOwner, writeStatement } from "./database.ts";

type Row<Column> = {
  /** Orders the values. */
  readonly key: string;
  readonly organizationId: string;
  readonly id: string;
  readonly column: Column;
  readonly sealed: Uint8Array;
};

/** A row with what its value is bound to. */
type Value<Column> = Row<Column> & { readonly associated: readonly string[] };

/** @param identities what the values of each column are bound to */
export function sealedColumns<Column extends string>(
  table: string,
  identities: Readonly<
    Record<Column, (row: { readonly organizationId: string; readonly id: string }) => readonly string[]>
  >,
) {
  const columns = Object.keys(identities) as Column[];
  const key = `(t.organization_id || '/' || t.id || '/' || v.name)`;
  const values = columns.map((column) => `('${column}', t.${column})`).join(", ");
  const from = `FROM ${table} t, LATERAL (VALUES ${values}) AS v(name, sealed)`;
  const prefix = `substring(v.sealed FROM 1 FOR length($1::bytea))`;
  const list = readAsOwner<Row<Column>>(
    `${table}_list_sealed_otherwise`,
    `SELECT ${key} AS key, t.organization_id AS "organizationId", t.id, v.name AS "column", v.sealed ${from}
      WHERE ${prefix} <> $1 AND ${key} COLLATE "C" > $2 ORDER BY ${key} COLLATE "C" LIMIT $3`,
  );
  const count = readAsOwner<{ count: number }>(
    `${table}_count_sealed_otherwise`,
    `SELECT count(*)::int AS count ${from} WHERE ${prefix} <> $1`,
  );
  const has = readAsOwner<{ exists: boolean }>(
    `${table}_has_sealed`,
    `SELECT EXISTS (SELECT 1 ${from} WHERE ${prefix} = $1) AS "exists"`,
  );
  /** Only if the value has not changed since it was read. */
  const replaceIn = (column: Column) =>
    writeStatement(
      `${table}_replace_${column}`,
      `UPDATE ${table} SET ${column} = $4 WHERE organization_id = $1 AND id = $2 AND ${column} = $3`,
    );
  const replace = Object.fromEntries(columns.map((column) => [column, replaceIn(column)])) as Readonly<
    Record<Column, ReturnType<typeof replaceIn>>
  >;

  return (db: Database) => ({
    async listOthers(keyPrefix: Uint8Array, after: string, limit: number): Promise<readonly Value<Column>[]> {
      const rows = await db.query(list, [keyPrefix, after, limit]);
      return rows.map((row) => ({ ...row, associated: identities[row.column](row) }));
    },
    async countOthers(keyPrefix: Uint8Array) {
      return (await db.query(count, [keyPrefix]))[0]?.count ?? 0;
    },
    async hasAny(keyPrefix: Uint8Array) {
      return (await db.query(has, [keyPrefix]))[0]?.exists === true;
    },
    async replace(all: readonly { readonly value: Value<Column>; readonly sealed: Uint8Array }[]) {
      await db.transaction(async (tx) => {
        for (const { value, sealed } of all)
          await tx.query(replace[value.column], [value.organizationId, value.id, value.sealed, sealed]);
      });
    },
  });
}
