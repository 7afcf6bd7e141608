import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";

const FIND_USER = readStatement<{ userId: string }>(
  "identities_find_user",
  `SELECT user_id AS "userId" FROM identities WHERE organization_id = $1 AND issuer = $2 AND subject = $3`,
);
const INSERT = writeStatement(
  "identities_insert",
  `INSERT INTO identities (organization_id, issuer, subject, user_id) VALUES ($1, $2, $3, $4)`,
);
const HAS_LINK = readStatement<{ userId: string }>(
  "identities_has_link",
  `SELECT user_id AS "userId" FROM identities WHERE organization_id = $1 AND user_id = $2 AND issuer = $3 LIMIT 1`,
);

type Who = { readonly issuer: string; readonly subject: string };

export const identities = {
  findUserId: async (sql: Sql, organizationId: string, { issuer, subject }: Who) =>
    (await sql.query(FIND_USER, [organizationId, issuer, subject]))[0]?.userId ?? null,
  insert: (tx: Transaction, organizationId: string, { issuer, subject }: Who, userId: string) =>
    tx.send(INSERT, [organizationId, issuer, subject, userId]),
  /** Whether a user is somebody at this issuer already. */
  isLinked: async (sql: Sql, organizationId: string, userId: string, issuer: string) =>
    (await sql.query(HAS_LINK, [organizationId, userId, issuer])).length > 0,
};
