import { readAsOwner, readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { listOwners } from "../../db/owners.ts";
import { repositoryKeyOf } from "../../git/repository-url.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type { GitProvider } from "../../git/git.ts";
import type { GitIntegration, TokenCheckError } from "./git-integration.ts";

const COLUMNS = `organization_id AS "organizationId", id, provider, nullif(host, '') AS host, created_at AS "createdAt",
  coalesce(token_set_at, created_at) AS "tokenSetAt",
  CASE WHEN is_token_refused THEN 'REFUSED' ELSE 'WORKING' END AS "tokenStatus",
  coalesce(last_check_at, token_set_at, created_at) AS "lastCheckAt", last_check_error AS "lastCheckError",
  report_error AS "reportError"`;

/** A token that was just set was just tried. */
const IS_DUE = `(check_due_at <= now()
      OR check_due_at IS NULL AND coalesce(token_set_at, created_at) <= now() - interval '1 day')`;

const INSERT = writeStatement<GitIntegration>(
  "git_integrations_insert",
  `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token)
   VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,
);

const FIND = readStatement<GitIntegration>(
  "git_integrations_find",
  `SELECT ${COLUMNS} FROM git_integrations WHERE organization_id = $1 AND id = $2`,
);

const LOCK = writeStatement<{ id: string }>(
  "git_integrations_lock",
  `SELECT id FROM git_integrations WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const FIND_SEALED_TOKEN = readStatement<{ id: string; sealedToken: Uint8Array }>(
  "git_integrations_find_sealed_token",
  `SELECT id, sealed_token AS "sealedToken" FROM git_integrations
    WHERE organization_id = $1 AND provider = $2 AND host = $3`,
);

const FIND_ID = readStatement<{ id: string }>(
  "git_integrations_find_id",
  `SELECT id FROM git_integrations WHERE organization_id = $1 AND provider = $2 AND host = $3`,
);

const SET_TOKEN = writeStatement<GitIntegration>(
  "git_integrations_set_token",
  `UPDATE git_integrations
      SET sealed_token = $3, token_set_at = now(), last_check_at = NULL, last_check_error = NULL,
          is_token_refused = false, check_due_at = NULL, report_error = NULL
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** What a check needs: the sealed token also says later which token was tried. */
export type TriedToken = Pick<GitIntegration, "organizationId" | "id" | "provider" | "host"> & {
  readonly sealedToken: Uint8Array;
};
const TRIED = `organization_id AS "organizationId", id, provider, nullif(host, '') AS host, sealed_token AS "sealedToken"`;

const FIND_TRIED = readStatement<TriedToken>(
  "git_integrations_find_tried",
  `SELECT ${TRIED} FROM git_integrations WHERE organization_id = $1 AND id = $2`,
);

/** A sweep over all organizations. */
const LIST_DUE = readAsOwner<{ organizationId: string; id: string }>(
  "git_integrations_list_due",
  `SELECT organization_id AS "organizationId", id FROM git_integrations WHERE ${IS_DUE} LIMIT $1`,
);

/** For one of the workers that found it due. If that worker dies, the token is due again after ten minutes. */
const TAKE_DUE = writeStatement<TriedToken>(
  "git_integrations_take_due",
  `UPDATE git_integrations SET check_due_at = now() + interval '10 minutes'
    WHERE organization_id = $1 AND id = $2 AND ${IS_DUE} RETURNING ${TRIED}`,
);

/** Only if the token was not replaced since it was tried. $4 is null unless the host answered. */
const RECORD_CHECK = writeStatement<GitIntegration>(
  "git_integrations_record_check",
  `UPDATE git_integrations
      SET last_check_at = now(), last_check_error = $5::jsonb, is_token_refused = coalesce($4, is_token_refused),
          check_due_at = now() + $6::float8 * interval '1 hour'
    WHERE organization_id = $1 AND id = $2 AND sealed_token = $3 RETURNING ${COLUMNS}`,
);

const LIST = pagedStatement<GitIntegration>(
  "git_integrations_list",
  (after, direction) => `SELECT ${COLUMNS} FROM git_integrations
    WHERE organization_id = $1 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

const DELETE = writeStatement<{ id: string }>(
  "git_integrations_delete",
  `DELETE FROM git_integrations WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

const SET_HOOK_SECRET = writeStatement<{ id: string }>(
  "git_integrations_set_hook_secret",
  `UPDATE git_integrations SET sealed_hook_secret = $3 WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

const HOOK_SENDERS_MAX = 100;

const LIST_HOOK_SENDERS = readStatement<{ organizationId: string; id: string; sealedHookSecret: Uint8Array }>(
  "git_integrations_list_hook_senders",
  `SELECT DISTINCT g.organization_id AS "organizationId", g.id, g.sealed_hook_secret AS "sealedHookSecret"
     FROM git_integrations g
     JOIN projects p ON p.organization_id = g.organization_id AND p.provider = g.provider AND p.host = g.host
    WHERE g.organization_id = $1 AND p.organization_id = $1 AND g.provider = $2 AND lower(p.normalized_repo_url) = $3
      AND g.sealed_hook_secret IS NOT NULL
    ORDER BY g.id LIMIT $4`,
);

export const gitIntegrations = {
  insert: async (sql: Sql, { organizationId, id, provider, host, sealedToken }: TriedToken) =>
    (await sql.query(INSERT, [organizationId, id, provider, host ?? "", sealedToken]))[0] ?? null,
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  /** Makes all other changes of it wait until the transaction ends. */
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    void (await tx.query(LOCK, [organizationId, id])),
  findSealedToken: async (sql: Sql, organizationId: string, provider: GitProvider, host: string | null) =>
    (await sql.query(FIND_SEALED_TOKEN, [organizationId, provider, host ?? ""]))[0] ?? null,
  findId: async (sql: Sql, organizationId: string, provider: GitProvider, host: string | null) =>
    (await sql.query(FIND_ID, [organizationId, provider, host ?? ""]))[0]?.id ?? null,
  /** Null when there is no such integration. */
  setToken: async (sql: Sql, organizationId: string, id: string, sealedToken: Uint8Array) =>
    (await sql.query(SET_TOKEN, [organizationId, id, sealedToken]))[0] ?? null,
  /** Null when there is no such integration. */
  findTried: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_TRIED, [organizationId, id]))[0] ?? null,
  listDue: (sql: Sql, limit: number) => sql.query(LIST_DUE, [limit]),
  /** Null when another worker has taken it. */
  takeDue: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(TAKE_DUE, [organizationId, id]))[0] ?? null,
  /**
   * Null if the token was replaced meanwhile, or the integration was deleted.
   * @param found `isRefused` is null if the host said nothing of the token
   */
  recordCheck: async (
    sql: Sql,
    { organizationId, id, sealedToken }: TriedToken,
    found: {
      readonly isRefused: boolean | null;
      readonly error: TokenCheckError | null;
      readonly againAfterHours: number;
    },
  ) => {
    const { isRefused, error, againAfterHours } = found;
    const wrong = error === null ? null : JSON.stringify(error);
    const values = [organizationId, id, sealedToken, isRefused, wrong, againAfterHours];
    return (await sql.query(RECORD_CHECK, values))[0] ?? null;
  },
  /** False when there is no such integration. */
  setHookSecret: async (sql: Sql, organizationId: string, id: string, sealed: Uint8Array) =>
    (await sql.query(SET_HOOK_SECRET, [organizationId, id, sealed])).length > 0,
  /** Of all organizations: a delivery only names a repository, and its signature shows the organization. */
  listHookSenders: async (sql: Sql, provider: GitProvider, normalizedRepoUrl: string) => {
    const key = repositoryKeyOf(normalizedRepoUrl);
    // A process of the release before notes a repository only as it was typed.
    const keys = [...new Set([key, normalizedRepoUrl])];
    const owners = await Promise.all(
      keys.map((each) => listOwners(sql, "repository", each, HOOK_SENDERS_MAX)),
    );
    const found = await Promise.all(
      [...new Set(owners.flat())].map((organizationId) =>
        sql.query(LIST_HOOK_SENDERS, [organizationId, provider, key, HOOK_SENDERS_MAX]),
      ),
    );
    return found.flat().slice(0, HOOK_SENDERS_MAX);
  },
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1]),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE, [organizationId, id])).length > 0,
};
