import { readAsOwner, readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { Organization } from "./organization.ts";

const COLUMNS = `organization_id AS id, name, created_at AS "createdAt"`;

const INSERT = writeStatement(
  "organizations_insert",
  `INSERT INTO organizations (organization_id, name) VALUES ($1, $2)`,
);

const COUNT = readAsOwner<{ count: number }>(
  "organizations_count",
  `SELECT count(organization_id)::int AS count FROM organizations`,
);

const LIST = readAsOwner<Organization>(
  "organizations_list",
  `SELECT ${COLUMNS} FROM organizations ORDER BY organization_id`,
);

const FIND_FIRST = readAsOwner<{ id: string }>(
  "organizations_find_first",
  `SELECT organization_id AS id FROM organizations ORDER BY created_at, organization_id LIMIT 1`,
);

const FIND = readStatement<Organization>(
  "organizations_find",
  `SELECT ${COLUMNS} FROM organizations WHERE organization_id = $1`,
);

const RENAME = writeStatement<Organization>(
  "organizations_rename",
  `UPDATE organizations SET name = $2 WHERE organization_id = $1 RETURNING ${COLUMNS}`,
);

export const organizations = {
  insert: async (sql: Sql, id: string, name: string) => void (await sql.query(INSERT, [id, name])),
  count: async (sql: Sql) => (await sql.query(COUNT))[0]?.count ?? 0,
  find: async (sql: Sql, id: string) => (await sql.query(FIND, [id]))[0] ?? null,
  rename: async (tx: Transaction, id: string, name: string) =>
    (await tx.query(RENAME, [id, name]))[0] ?? null,
  findFirst: async (sql: Sql) => (await sql.query(FIND_FIRST))[0]?.id ?? null,
  list: (sql: Sql) => sql.query(LIST),
};
