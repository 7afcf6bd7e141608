import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { LinkedIdentity } from "./decide-address.ts";

const FIND_USER = readStatement<{ userId: string }>(
  "identities_find_user",
  `SELECT user_id AS "userId" FROM identities WHERE organization_id = $1 AND issuer = $2 AND subject = $3`,
);
const INSERT = writeStatement(
  "identities_insert",
  `INSERT INTO identities (organization_id, issuer, subject, user_id, verified_email) VALUES ($1, $2, $3, $4, $5)`,
);
const NOTE_EMAIL = writeStatement(
  "identities_note_email",
  `UPDATE identities SET verified_email = $4
    WHERE organization_id = $1 AND issuer = $2 AND subject = $3 AND verified_email IS DISTINCT FROM $4`,
);
const LIST_OF_USER = readStatement<LinkedIdentity>(
  "identities_list_of_user",
  `SELECT issuer, verified_email AS "verifiedEmail" FROM identities WHERE organization_id = $1 AND user_id = $2`,
);

type Who = { readonly issuer: string; readonly subject: string };

export const identities = {
  findUserId: async (sql: Sql, organizationId: string, { issuer, subject }: Who) =>
    (await sql.query(FIND_USER, [organizationId, issuer, subject]))[0]?.userId ?? null,
  insert: (
    tx: Transaction,
    organizationId: string,
    { issuer, subject }: Who,
    userId: string,
    verifiedEmail: string | null,
  ) => tx.send(INSERT, [organizationId, issuer, subject, userId, verifiedEmail]),
  noteEmail: (
    tx: Transaction,
    organizationId: string,
    { issuer, subject }: Who,
    verifiedEmail: string | null,
  ) => tx.send(NOTE_EMAIL, [organizationId, issuer, subject, verifiedEmail]),
  listOfUser: (sql: Sql, organizationId: string, userId: string) =>
    sql.query(LIST_OF_USER, [organizationId, userId]),
};
