import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type { Role } from "../../lib/actor.ts";
import type { ProjectMember } from "./project-member.ts";

const COLUMNS = `organization_id AS "organizationId", project_id AS "projectId", user_id AS "userId", role,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const FIND = readStatement<ProjectMember>(
  "project_members_find",
  `SELECT ${COLUMNS} FROM project_members WHERE organization_id = $1 AND project_id = $2 AND user_id = $3`,
);

const LIST = pagedStatement<ProjectMember>(
  "project_members_list",
  (after, direction) => `SELECT ${COLUMNS} FROM project_members
    WHERE organization_id = $1 AND project_id = $4 AND user_id ${after} $2 ORDER BY user_id ${direction} LIMIT $3`,
);

const SET = writeStatement<ProjectMember>(
  "project_members_set",
  `INSERT INTO project_members (organization_id, project_id, user_id, role, updated_at) VALUES ($1, $2, $3, $4, now())
   ON CONFLICT (organization_id, project_id, user_id) DO UPDATE SET role = $4, updated_at = excluded.updated_at
   RETURNING ${COLUMNS}`,
);

const REMOVE = writeStatement<ProjectMember>(
  "project_members_remove",
  `DELETE FROM project_members WHERE organization_id = $1 AND project_id = $2 AND user_id = $3 RETURNING ${COLUMNS}`,
);

/** Projects that only their members see, with the user's role in them; and others where the user has a role. */
const LIST_ROLES = readStatement<{ projectId: string; role: Role | null; isClosed: boolean }>(
  "project_members_list_roles",
  `SELECT p.id AS "projectId", m.role, true AS "isClosed" FROM projects p
     LEFT JOIN project_members m ON m.organization_id = p.organization_id AND m.project_id = p.id AND m.user_id = $2
    WHERE p.organization_id = $1 AND p.access = 'members'
    UNION ALL
   SELECT m.project_id, m.role, false FROM project_members m
     JOIN projects p ON p.organization_id = m.organization_id AND p.id = m.project_id
    WHERE m.organization_id = $1 AND m.user_id = $2 AND p.access = 'organization'`,
);

/**
 * Where developers may not deploy, with the previews of such a template; and where they may, after an approval. Each has
 * an index of its own.
 */
const LIST_PROTECTED = readStatement<{ id: string; projectId: string; role: Role }>(
  "environments_list_protected",
  `SELECT id, project_id AS "projectId", deployers AS role FROM environments
    WHERE organization_id = $1 AND deployers <> 'developer'
    UNION ALL
   SELECT id, project_id, deployers FROM environments
    WHERE organization_id = $1 AND approvers IS NOT NULL AND deployers = 'developer'
    UNION ALL
   SELECT p.id, p.project_id, t.deployers FROM environments t
     JOIN environments p ON p.organization_id = t.organization_id AND p.template_id = t.id
    WHERE t.organization_id = $1 AND t.deployers <> 'developer'`,
);

type Key = Pick<ProjectMember, "organizationId" | "projectId" | "userId">;
const valuesOf = ({ organizationId, projectId, userId }: Key) => [organizationId, projectId, userId];

export const members = {
  find: async (sql: Sql, key: Key) => (await sql.query(FIND, valuesOf(key)))[0] ?? null,
  list: (sql: Sql, organizationId: string, projectId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1, projectId]),
  set: async (tx: Transaction, key: Key, role: Role) => (await tx.query(SET, [...valuesOf(key), role]))[0],
  remove: async (tx: Transaction, key: Key) => (await tx.query(REMOVE, valuesOf(key)))[0] ?? null,
  listRoles: (sql: Sql, organizationId: string, userId: string) =>
    sql.query(LIST_ROLES, [organizationId, userId]),
  listProtected: (sql: Sql, organizationId: string) => sql.query(LIST_PROTECTED, [organizationId]),
};
