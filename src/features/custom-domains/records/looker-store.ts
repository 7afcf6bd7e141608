/** The workers that look at DNS records. They belong to no organization. */
import { readStatement, type Sql, type Transaction, writeStatement } from "../../../db/database.ts";

type Looker = { readonly id: string; readonly lookedUntil: Date; readonly isGone: boolean };

const LIST = writeStatement<Looker>(
  "dns_lookers_list",
  `SELECT id, looked_until AS "lookedUntil", seen_at < now() - $1::float8 * interval '1 second' AS "isGone"
     FROM dns_lookers`,
);
const DELETE = writeStatement("dns_lookers_delete", `DELETE FROM dns_lookers WHERE id = ANY ($1::text[])`);
const TELL = writeStatement(
  "dns_lookers_tell",
  `INSERT INTO dns_lookers (id, looked_until) VALUES ($1, $2)
   ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, looked_until = excluded.looked_until`,
);
const FIND_LOOKED_UNTIL = readStatement<{ lookedUntil: Date | null }>(
  "dns_lookers_find_looked_until",
  `SELECT min(looked_until) AS "lookedUntil" FROM dns_lookers`,
);

export const lookers = {
  list: (tx: Transaction, goneAfterSeconds: number) => tx.query(LIST, [goneAfterSeconds]),
  delete: (tx: Transaction, gone: readonly Looker[]) => tx.send(DELETE, [gone.map(({ id }) => id)]),
  tell: (tx: Transaction, id: string, lookedUntil: Date) => tx.send(TELL, [id, lookedUntil]),
  /** Null if there never was a worker. */
  findLookedUntil: async (sql: Sql) => (await sql.query(FIND_LOOKED_UNTIL))[0]?.lookedUntil ?? null,
};
