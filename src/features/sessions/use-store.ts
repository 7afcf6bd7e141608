import { type Sql, writeStatement } from "../../db/database.ts";

const noteStatement = (table: string, column: string) =>
  writeStatement(
    `${table}_note_uses`,
    `UPDATE ${table} SET ${column} = given.at
     FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) AS given(id, at, unless_since)
    WHERE ${table}.organization_id = $1 AND ${table}.id = given.id
      AND (${table}.${column} IS NULL OR ${table}.${column} < given.unless_since)`,
  );

const NOTE_USES = {
  api_keys: noteStatement("api_keys", "last_used_at"),
  sessions: noteStatement("sessions", "last_seen_at"),
  users: noteStatement("users", "last_seen_at"),
};

export type UsedTable = keyof typeof NOTE_USES;

/** A row that another process has written within this time before, in ms, stays unchanged. */
const KNOWN_FOR_MS = 50_000;

/** @param last when each row was last used, by its id, in ms */
export async function noteUses(
  sql: Sql,
  organizationId: string,
  table: UsedTable,
  last: ReadonlyMap<string, number>,
): Promise<void> {
  const times = [...last.values()];
  const at = times.map((ms) => new Date(ms));
  const unlessSince = times.map((ms) => new Date(ms - KNOWN_FOR_MS));
  await sql.query(NOTE_USES[table], [organizationId, [...last.keys()], at, unlessSince]);
}
