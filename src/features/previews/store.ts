import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import { newId } from "../../lib/ids.ts";
import { NO_READ, type Preview, type PullRequestRead } from "./preview.ts";

const COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId", template_id AS "templateId",
  environment_id AS "environmentId", key, pull_request AS "pullRequest", branch, commit_hash AS "commitHash",
  deployed_commit AS "deployedCommit", is_fork AS "isFork", state, reason, stays_ended AS "staysEnded", problem,
  sleeping_since AS "sleepingSince", approved_commit AS "approvedCommit", approved_by AS "approvedBy", expires_at AS "expiresAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const INSERT = writeStatement<Preview>(
  "previews_insert",
  `INSERT INTO previews (organization_id, id, project_id, template_id, key, pull_request, branch, commit_hash, is_fork,
                         state, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`,
);
const UPDATE = writeStatement<Preview>(
  "previews_update",
  `UPDATE previews SET environment_id = $3, pull_request = $4::jsonb, branch = $5, commit_hash = $6,
          deployed_commit = $7, is_fork = $8, state = $9, reason = $10, stays_ended = $11, approved_commit = $12,
          approved_by = $13, expires_at = $14, problem = $15::jsonb, sleeping_since = $16, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);
const FIND = readStatement<Preview>(
  "previews_find",
  `SELECT ${COLUMNS} FROM previews WHERE organization_id = $1 AND id = $2`,
);
const FIND_BY_KEY = readStatement<Preview>(
  "previews_find_by_key",
  `SELECT ${COLUMNS} FROM previews WHERE organization_id = $1 AND project_id = $2 AND template_id = $3 AND key = $4`,
);
const FIND_OF_ENVIRONMENT = readStatement<Preview>(
  "previews_find_of_environment",
  `SELECT ${COLUMNS} FROM previews WHERE organization_id = $1 AND environment_id = $2`,
);
const LIST_OF_PROJECT = readStatement<Preview>(
  "previews_list_of_project",
  `SELECT ${COLUMNS} FROM previews WHERE organization_id = $1 AND project_id = $2 ORDER BY id`,
);
const LIST = pagedStatement<Preview>(
  "previews_list",
  (after, direction) => `SELECT ${COLUMNS} FROM previews
    WHERE organization_id = $1 AND id ${after} $2 AND ($4::text IS NULL OR project_id = $4)
      AND ($5::text IS NULL OR state = $5) AND ${visibleProject("project_id", "$6", "$7")}
    ORDER BY id ${direction} LIMIT $3`,
);
/** The reconciler deploys the commit again. */
const REDEPLOY = writeStatement<{ id: string }>(
  "previews_redeploy",
  `UPDATE previews SET deployed_commit = NULL, updated_at = now()
    WHERE organization_id = $1 AND environment_id = ANY($2::text[]) AND state IN ('ACTIVE', 'SLEEPING') RETURNING id`,
);
const DELETE = writeStatement<{ id: string }>(
  "previews_delete",
  `DELETE FROM previews WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

type ReadRow = Omit<PullRequestRead, "error"> & {
  readonly code: string | null;
  readonly message: string | null;
  readonly action: string | null;
};
const FIND_READ = readStatement<ReadRow>(
  "pull_request_reads_find",
  `SELECT tag, rules, listed_at AS "listedAt", error_code AS code, error_message AS message,
          error_action AS action
     FROM pull_request_reads WHERE organization_id = $1 AND project_id = $2`,
);
/**
 * Keeps a read, unless another one was kept since the one with the tag `$10` and the time `$11`. Rules that a push
 * changed since `$9` stay, so that all is read again.
 */
const PUT_READ = writeStatement<{ id: string }>(
  "pull_request_reads_put",
  `INSERT INTO pull_request_reads (organization_id, project_id, tag, rules, listed_at, error_code, error_message, error_action)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (organization_id, project_id) DO UPDATE
      SET tag = excluded.tag, listed_at = excluded.listed_at,
          rules = CASE WHEN pull_request_reads.rules IS DISTINCT FROM $9 THEN pull_request_reads.rules
                       ELSE excluded.rules END,
          error_code = excluded.error_code, error_message = excluded.error_message,
          error_action = excluded.error_action
    WHERE pull_request_reads.tag IS NOT DISTINCT FROM $10 AND pull_request_reads.listed_at IS NOT DISTINCT FROM $11
   RETURNING project_id AS id`,
);
const FORGET_READ = writeStatement<{ id: string }>(
  "pull_request_reads_forget",
  `UPDATE pull_request_reads SET rules = $3
    WHERE organization_id = $1 AND project_id = $2 AND listed_at IS NOT NULL RETURNING project_id AS id`,
);

export type NewPreview = Pick<
  Preview,
  | "organizationId"
  | "projectId"
  | "templateId"
  | "key"
  | "pullRequest"
  | "branch"
  | "commitHash"
  | "isFork"
  | "state"
  | "expiresAt"
>;
export type PreviewFilter = { readonly projectId?: string; readonly state?: string };

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

export const previews = {
  insert: async (tx: Transaction, preview: NewPreview) => {
    const { organizationId, projectId, templateId, key, pullRequest, branch, commitHash } = preview;
    const { isFork, state, expiresAt } = preview;
    const of = [organizationId, newId("prev"), projectId, templateId, key, json(pullRequest)];
    const [row] = await tx.query(INSERT, [...of, branch, commitHash, isFork, state, expiresAt]);
    if (row === undefined) throw new Error("An INSERT returned no row.");
    return row;
  },
  update: async (tx: Transaction, before: Preview, changed: Partial<Preview>) => {
    const now = { ...before, ...changed };
    const { environmentId, branch, commitHash, deployedCommit, isFork, state, reason, staysEnded } = now;
    const of = [before.organizationId, before.id, environmentId, json(now.pullRequest), branch, commitHash];
    const values = [...of, deployedCommit, isFork, state, reason, staysEnded];
    const approval = [now.approvedCommit, now.approvedBy, now.expiresAt, json(now.problem)];
    const sleepingSince = state === "SLEEPING" ? now.sleepingSince : null;
    return (await tx.query(UPDATE, [...values, ...approval, sleepingSince]))[0] ?? null;
  },
  redeploy: (tx: Transaction, organizationId: string, environmentIds: readonly string[]) =>
    tx.query(REDEPLOY, [organizationId, environmentIds]),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findByKey: async (
    sql: Sql,
    {
      organizationId,
      projectId,
      templateId,
      key,
    }: Pick<Preview, "organizationId" | "projectId" | "templateId" | "key">,
  ) => (await sql.query(FIND_BY_KEY, [organizationId, projectId, templateId, key]))[0] ?? null,
  findOfEnvironment: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND_OF_ENVIRONMENT, [organizationId, environmentId]))[0] ?? null,
  listOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(LIST_OF_PROJECT, [organizationId, projectId]),
  list: (sql: Sql, organizationId: string, page: Page, filter: PreviewFilter, visible: Visible) =>
    sql.query(LIST[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      filter.projectId ?? null,
      filter.state ?? null,
      ...visibleValues(visible),
    ]),
  delete: async (tx: Transaction, { organizationId, id }: Preview) =>
    (await tx.query(DELETE, [organizationId, id])).length > 0,
};

export const pullRequestReads = {
  find: async (sql: Sql, organizationId: string, projectId: string): Promise<PullRequestRead> => {
    const [row] = await sql.query(FIND_READ, [organizationId, projectId]);
    if (row === undefined) return NO_READ;
    const { code, message, action, ...read } = row;
    return {
      ...read,
      error: code === null ? null : { code, message: message ?? "", action: action ?? "" },
    };
  },
  /** @param before what it replaces @returns false if another read was kept since */
  put: async (
    tx: Transaction,
    organizationId: string,
    projectId: string,
    { tag, rules, listedAt, error }: PullRequestRead,
    before: PullRequestRead,
  ) => {
    const failure = [error?.code ?? null, error?.message ?? null, error?.action ?? null];
    const replaced = [before.rules, before.tag, before.listedAt];
    const values = [organizationId, projectId, tag, rules, listedAt, ...failure, ...replaced];
    return (await tx.query(PUT_READ, values)).length > 0;
  },
  /** Has the next read list all pull requests. @param push names it @returns false if none were listed yet */
  forget: async (tx: Transaction, organizationId: string, projectId: string, push: string) =>
    (await tx.query(FORGET_READ, [organizationId, projectId, push])).length > 0,
};
