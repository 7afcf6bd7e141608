import { type Sql, statement } from "../db/database.ts";
import type { Page } from "../db/page.ts";
import type { GitProvider } from "../git/git.ts";
import type { GitIntegration } from "./git-integration.ts";

const COLUMNS = `organization_id AS "organizationId", id, provider, nullif(host, '') AS host, created_at AS "createdAt"`;

const INSERT = statement<GitIntegration>(
  "git_integrations_insert",
  `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token)
   VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,
);

const FIND = statement<GitIntegration>(
  "git_integrations_find",
  `SELECT ${COLUMNS} FROM git_integrations WHERE organization_id = $1 AND id = $2`,
);

const FIND_SEALED_TOKEN = statement<{ id: string; sealedToken: Uint8Array }>(
  "git_integrations_find_sealed_token",
  `SELECT id, sealed_token AS "sealedToken" FROM git_integrations
    WHERE organization_id = $1 AND provider = $2 AND host = $3`,
);

const LIST = statement<GitIntegration>(
  "git_integrations_list",
  `SELECT ${COLUMNS} FROM git_integrations
    WHERE organization_id = $1 AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3`,
);

const DELETE = statement<{ id: string }>(
  "git_integrations_delete",
  `DELETE FROM git_integrations WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

export const gitIntegrations = {
  insert: async (
    sql: Sql,
    integration: Omit<GitIntegration, "createdAt"> & { readonly sealedToken: Uint8Array },
  ) =>
    (
      await sql.query(INSERT, [
        integration.organizationId,
        integration.id,
        integration.provider,
        integration.host ?? "",
        integration.sealedToken,
      ])
    )[0] ?? null,
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findSealedToken: async (sql: Sql, organizationId: string, provider: GitProvider, host: string | null) =>
    (await sql.query(FIND_SEALED_TOKEN, [organizationId, provider, host ?? ""]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST, [organizationId, page.after, page.limit + 1]),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE, [organizationId, id])).length > 0,
};
