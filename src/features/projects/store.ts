import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { noteOwner } from "../../db/owners.ts";
import { newId } from "../../lib/ids.ts";
import { repositoryKeyOf } from "../../git/repository-url.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import type { GitProvider } from "../../git/git.ts";
import type {
  Environment,
  EnvironmentType,
  Project,
  ProjectAccess,
  ProjectDetails,
  Protection,
  Service,
  ServiceType,
} from "./project.ts";
import { isTypedSettings } from "./service-settings.ts";

const PROJECT_COLUMNS = `organization_id AS "organizationId", id, name, aws_account_id AS "awsAccountId",
  repo_url AS "repoUrl", normalized_repo_url AS "normalizedRepoUrl", provider, nullif(host, '') AS host,
  config_type AS "configType", config_file_path AS "configFilePath", config_file_branch AS "configFileBranch",
  access, deletion_requested_at AS "deletionRequestedAt", created_at AS "createdAt", updated_at AS "updatedAt"`;
/** Of an iac project it is what was read when the project was last changed; deployments read their own. */
const DETAILS_COLUMNS = `${PROJECT_COLUMNS}, CASE WHEN config_type = 'gui' THEN config END AS config`;
const ENVIRONMENT_COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId", config_id AS "configId",
  name, region, branch, deploy_trigger AS "deployTrigger", report, template, template_id AS "templateId",
  is_fork AS "isFork", pull_request AS "pullRequest", deployers, approvers,
  approval_hours AS "approvalHours",
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const SERVICE_COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId",
  environment_id AS "environmentId", config_id AS "configId", name, type, settings, preview_host AS "previewHost",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** The database knows `settings` as JSON of any shape. */
type ServiceRow = Omit<Service, "type" | "settings"> & {
  readonly type: ServiceType;
  readonly settings: unknown;
};

function toService(row: ServiceRow): Service {
  if (!isTypedSettings(row))
    throw new Error(`The settings of ${row.id} are not those of a ${row.type} service.`);
  return row;
}

const INSERT_PROJECT = writeStatement<ProjectDetails>(
  "projects_insert",
  `INSERT INTO projects (organization_id, id, name, aws_account_id, repo_url, normalized_repo_url, provider, host,
                         config_type, config_file_path, config_file_branch, config)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb) RETURNING ${DETAILS_COLUMNS}`,
);

const FIND_PROJECT = readStatement<Project>(
  "projects_find",
  `SELECT ${PROJECT_COLUMNS} FROM projects WHERE organization_id = $1 AND id = $2`,
);

const FIND_PROJECT_DETAILS = readStatement<ProjectDetails>(
  "projects_find_details",
  `SELECT ${DETAILS_COLUMNS} FROM projects WHERE organization_id = $1 AND id = $2`,
);

const COUNT_PROJECTS = readStatement<{ count: number }>(
  "projects_count_of",
  `SELECT count(*)::int AS count FROM projects WHERE organization_id = $1 AND id = ANY ($2::text[])`,
);

/** A configuration of null keeps the stored one. */
const UPDATE_PROJECT = writeStatement<ProjectDetails>(
  "projects_update",
  `UPDATE projects SET name = $3, repo_url = $4, normalized_repo_url = $5, config_type = $6, config_file_path = $7,
          config_file_branch = $8, config = coalesce($9::jsonb, config), updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${DETAILS_COLUMNS}`,
);

/** Makes whatever is built on a project wait for its deletion, and the deletion for what is being built. */
const LOCK_PROJECT = writeStatement<Project>(
  "projects_lock",
  `SELECT ${PROJECT_COLUMNS} FROM projects WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const LIST_PROJECTS = pagedStatement<ProjectDetails>(
  "projects_list",
  (after, direction) => `SELECT ${DETAILS_COLUMNS} FROM projects
    WHERE organization_id = $1 AND id ${after} $2 AND ${visibleProject("id", "$4", "$5")} ORDER BY id ${direction} LIMIT $3`,
);

const LIST_PROJECTS_OF_REPOSITORY = readStatement<Project>(
  "projects_list_of_repository",
  `SELECT ${PROJECT_COLUMNS} FROM projects
    WHERE organization_id = $1 AND lower(normalized_repo_url) = $2 ORDER BY id LIMIT $3`,
);

const LIST_PROJECTS_OF_PROVIDER = readStatement<Project>(
  "projects_list_of_provider",
  `SELECT ${PROJECT_COLUMNS} FROM projects
    WHERE organization_id = $1 AND provider = $2 AND host = $3 ORDER BY id LIMIT $4`,
);

const REQUEST_PROJECT_DELETION = writeStatement<ProjectDetails>(
  "projects_request_deletion",
  `UPDATE projects SET deletion_requested_at = now(), updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${DETAILS_COLUMNS}`,
);

const SET_PROJECT_ACCESS = writeStatement<ProjectDetails>(
  "projects_set_access",
  `UPDATE projects SET access = $3, updated_at = now() WHERE organization_id = $1 AND id = $2
   RETURNING ${DETAILS_COLUMNS}`,
);

const PROTECT_ENVIRONMENT = writeStatement<Environment>(
  "environments_protect",
  `UPDATE environments SET deployers = $3, approvers = $4, approval_hours = $5, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${ENVIRONMENT_COLUMNS}`,
);

/** The users who still see the events of a deleted project that only its members saw. */
const REMEMBER_MEMBERS = writeStatement(
  "deleted_projects_insert",
  `INSERT INTO deleted_projects (organization_id, id, member_ids)
   SELECT p.organization_id, p.id, ARRAY(
            SELECT m.user_id FROM project_members m WHERE m.organization_id = $1 AND m.project_id = $2)
     FROM projects p WHERE p.organization_id = $1 AND p.id = $2 AND p.access = 'members'
   ON CONFLICT DO NOTHING`,
);

const DELETE_PROJECT = writeStatement<Project>(
  "projects_delete",
  `DELETE FROM projects WHERE organization_id = $1 AND id = $2 RETURNING ${PROJECT_COLUMNS}`,
);

const INSERT_ENVIRONMENT = writeStatement<Environment>(
  "environments_insert",
  `INSERT INTO environments (organization_id, id, project_id, config_id, name, region, branch, deploy_trigger, template,
                             template_id, is_fork, report, pull_request)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12, $13) RETURNING ${ENVIRONMENT_COLUMNS}`,
);

const FIND_ENVIRONMENT = readStatement<Environment>(
  "environments_find",
  `SELECT ${ENVIRONMENT_COLUMNS} FROM environments WHERE organization_id = $1 AND id = $2`,
);

const LOCK_ENVIRONMENT = writeStatement<{ id: string }>(
  "environments_lock",
  `SELECT id FROM environments WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const LIST_ENVIRONMENTS = pagedStatement<Environment>(
  "environments_list",
  (after, direction) => `SELECT ${ENVIRONMENT_COLUMNS} FROM environments
    WHERE organization_id = $1 AND project_id = $4 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

/** By the key of the ids of a project. */
const LIST_CONFIG_IDS = readStatement<{ configId: string }>(
  "environments_list_config_ids",
  `SELECT config_id AS "configId" FROM environments
    WHERE organization_id = $1 AND project_id = $2 AND starts_with(config_id, $3)`,
);

const LIST_CONFIGURED_ENVIRONMENTS = readStatement<Environment>(
  "environments_list_configured",
  `SELECT ${ENVIRONMENT_COLUMNS} FROM environments
    WHERE organization_id = $1 AND project_id = $2 AND template_id IS NULL ORDER BY id LIMIT $3`,
);

const FIND_CONFIGURATION = readStatement<{ config: unknown }>(
  "projects_find_configuration",
  `SELECT config FROM projects WHERE organization_id = $1 AND id = $2`,
);

const UPDATE_ENVIRONMENT = writeStatement<{ id: string }>(
  "environments_update",
  `UPDATE environments SET name = $3, branch = $4, deploy_trigger = $5, template = $6::jsonb, report = $7,
          updated_at = now()
    WHERE organization_id = $1 AND id = $2
      AND ((name, branch, deploy_trigger, report) <> ($3, $4, $5, $7) OR template IS DISTINCT FROM $6::jsonb)
   RETURNING id`,
);

const DELETE_ENVIRONMENTS = writeStatement<Environment>(
  "environments_delete_of_project",
  `DELETE FROM environments WHERE organization_id = $1 AND project_id = $2 RETURNING ${ENVIRONMENT_COLUMNS}`,
);

const DELETE_ENVIRONMENT = writeStatement<{ id: string }>(
  "environments_delete",
  `DELETE FROM environments WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

const UPDATE_SERVICE = writeStatement<{ id: string }>(
  "services_update",
  `UPDATE services SET name = $3, settings = $4::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND (name <> $3 OR settings <> $4::jsonb)
   RETURNING id`,
);

/** The fields of a deleted service that its event needs. */
export type DeletedService = Pick<
  Service,
  "id" | "projectId" | "environmentId" | "configId" | "name" | "type"
>;

const DELETED_SERVICE = `id, project_id AS "projectId", environment_id AS "environmentId", config_id AS "configId",
  name, type`;

const DELETE_SERVICES = writeStatement<DeletedService>(
  "services_delete",
  `DELETE FROM services WHERE organization_id = $1 AND id = ANY($2::text[]) RETURNING ${DELETED_SERVICE}`,
);

const DELETE_SERVICES_OF_PROJECT = writeStatement<DeletedService>(
  "services_delete_of_project",
  `DELETE FROM services WHERE organization_id = $1 AND project_id = $2 RETURNING ${DELETED_SERVICE}`,
);

const INSERT_SERVICE = writeStatement<ServiceRow>(
  "services_insert",
  `INSERT INTO services (organization_id, id, project_id, environment_id, config_id, name, type, settings, preview_host)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9) RETURNING ${SERVICE_COLUMNS}`,
);

const SET_PREVIEW_HOST = writeStatement(
  "services_set_preview_host",
  `UPDATE services SET preview_host = $3, updated_at = now() WHERE organization_id = $1 AND id = $2`,
);

const OF_TEMPLATE = `environment_id IN (
      SELECT e.id FROM environments e WHERE e.organization_id = $1 AND e.template_id = $2)`;

const FIND_GATEWAY = readStatement<ServiceRow>(
  "services_find_gateway",
  `SELECT ${SERVICE_COLUMNS} FROM services
    WHERE organization_id = $1 AND ${OF_TEMPLATE} AND type = 'previews' LIMIT 1`,
);

const LIST_SERVICES_OF_TEMPLATE = readStatement<ServiceRow>(
  "services_list_of_template",
  `SELECT ${SERVICE_COLUMNS} FROM services
    WHERE organization_id = $1 AND ${OF_TEMPLATE} AND type <> 'previews' ORDER BY id`,
);

const LIST_GATEWAY_TEMPLATES = readStatement<{ templateId: string }>(
  "services_list_gateway_templates",
  `SELECT id AS "templateId" FROM environments
    WHERE organization_id = $1 AND project_id = $2 AND template ->> 'domain' IS NOT NULL
   UNION
   SELECT e.template_id FROM services s
     JOIN environments e ON e.organization_id = s.organization_id AND e.id = s.environment_id
    WHERE s.organization_id = $1 AND s.project_id = $2 AND (s.type = 'previews' OR s.preview_host IS NOT NULL)`,
);

const FIND_SERVICE = readStatement<ServiceRow>(
  "services_find",
  `SELECT ${SERVICE_COLUMNS} FROM services WHERE organization_id = $1 AND id = $2`,
);

const LOCK_SERVICE = writeStatement<{ id: string }>(
  "services_lock",
  `SELECT id FROM services WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const LIST_SERVICES = pagedStatement<ServiceRow>(
  "services_list",
  (after, direction) => `SELECT ${SERVICE_COLUMNS} FROM services
    WHERE organization_id = $1 AND environment_id = $4 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

/** A project has so few that they are sorted at each request. */
const LIST_SERVICES_OF_PROJECT = pagedStatement<ServiceRow>(
  "services_list_of_project",
  (after, direction) => `SELECT ${SERVICE_COLUMNS} FROM services
    WHERE organization_id = $1 AND project_id = $4 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

const LIST_ALL_SERVICES = pagedStatement<ServiceRow>(
  "services_list_all",
  (after, direction) => `SELECT ${SERVICE_COLUMNS} FROM services s
    WHERE organization_id = $1 AND id ${after} $2 AND ($4::text IS NULL OR project_id = $4)
      AND ($5::text IS NULL OR type = $5)
      AND ($6::text IS NULL OR ($6 = 'preview') = EXISTS (
            SELECT 1 FROM environments e
             WHERE e.organization_id = $1 AND e.id = s.environment_id AND e.template_id IS NOT NULL))
      AND ${visibleProject("project_id", "$7", "$8")}
    ORDER BY id ${direction} LIMIT $3`,
);

/** Which services a list shows; undefined: all. */
export type ServiceFilter = {
  readonly projectId?: string | undefined;
  readonly type?: ServiceType | undefined;
  readonly environmentType?: EnvironmentType | undefined;
};

/** The fields that an insert is given. Applies to each member of a union separately. */
export type New<T> = T extends unknown
  ? Omit<T, "id" | "access" | keyof Protection | "deletionRequestedAt" | "createdAt" | "updatedAt">
  : never;

/** What a configuration changes of an environment in place. */
export type ChangedEnvironment = Pick<
  Environment,
  "name" | "branch" | "deployTrigger" | "report" | "template"
>;

/** An INSERT … RETURNING gives its row, or throws. */
function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("An INSERT returned no row.");
  return row;
}

/** A delivery of a git host names only the repository. The release before finds it as it was typed. */
function noteRepository(
  tx: Transaction,
  project: Pick<Project, "organizationId" | "normalizedRepoUrl">,
): void {
  const { organizationId, normalizedRepoUrl } = project;
  for (const key of new Set([repositoryKeyOf(normalizedRepoUrl), normalizedRepoUrl]))
    noteOwner(tx, organizationId, "repository", key);
}

export const projects = {
  insert: async (tx: Transaction, project: New<Project>, config: unknown) => {
    noteRepository(tx, project);
    return onlyRow(
      await tx.query(INSERT_PROJECT, [
        project.organizationId,
        newId("proj"),
        project.name,
        project.awsAccountId,
        project.repoUrl,
        project.normalizedRepoUrl,
        project.provider,
        project.host ?? "",
        project.configType,
        project.configFilePath,
        project.configFileBranch,
        JSON.stringify(config),
      ]),
    );
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_PROJECT, [organizationId, id]))[0] ?? null,
  findDetails: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_PROJECT_DETAILS, [organizationId, id]))[0] ?? null,
  countOf: async (sql: Sql, organizationId: string, ids: readonly string[]) =>
    (await sql.query(COUNT_PROJECTS, [organizationId, ids]))[0]?.count ?? 0,
  /** Null if there is no such project. @param config null to keep the stored one */
  update: async (tx: Transaction, project: Project, config: unknown) => {
    noteRepository(tx, project);
    const [changed] = await tx.query(UPDATE_PROJECT, [
      project.organizationId,
      project.id,
      project.name,
      project.repoUrl,
      project.normalizedRepoUrl,
      project.configType,
      project.configFilePath,
      project.configFileBranch,
      config === null ? null : JSON.stringify(config),
    ]);
    return changed ?? null;
  },
  lock: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(LOCK_PROJECT, [organizationId, id]))[0] ?? null,
  findConfiguration: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_CONFIGURATION, [organizationId, id]))[0]?.config ?? null,
  list: (sql: Sql, organizationId: string, page: Page, visible: Visible) =>
    sql.query(LIST_PROJECTS[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      ...visibleValues(visible),
    ]),
  listOfRepository: (sql: Sql, organizationId: string, normalizedRepoUrl: string, limit: number) =>
    sql.query(LIST_PROJECTS_OF_REPOSITORY, [organizationId, repositoryKeyOf(normalizedRepoUrl), limit]),
  listOfProvider: (
    sql: Sql,
    organizationId: string,
    provider: GitProvider,
    host: string | null,
    limit: number,
  ) => sql.query(LIST_PROJECTS_OF_PROVIDER, [organizationId, provider, host ?? "", limit]),
  /** From now on it is `DELETING`. */
  requestDeletion: async (sql: Sql, organizationId: string, id: string) =>
    onlyRow(await sql.query(REQUEST_PROJECT_DELETION, [organizationId, id])),
  setAccess: async (tx: Transaction, { organizationId, id }: Project, access: ProjectAccess) =>
    onlyRow(await tx.query(SET_PROJECT_ACCESS, [organizationId, id, access])),
  /** Its events stay, as hidden as they were. */
  delete: async (tx: Transaction, organizationId: string, id: string) => {
    await tx.query(REMEMBER_MEMBERS, [organizationId, id]);
    return (await tx.query(DELETE_PROJECT, [organizationId, id]))[0] ?? null;
  },
};

export const environments = {
  insert: async (sql: Sql, environment: New<Environment>) =>
    onlyRow(
      await sql.query(INSERT_ENVIRONMENT, [
        environment.organizationId,
        newId("env"),
        environment.projectId,
        environment.configId,
        environment.name,
        environment.region,
        environment.branch,
        environment.deployTrigger,
        environment.template === null ? null : JSON.stringify(environment.template),
        environment.templateId,
        environment.isFork,
        environment.report,
        environment.pullRequest,
      ]),
    ),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_ENVIRONMENT, [organizationId, id]))[0] ?? null,
  update: async (
    sql: Sql,
    organizationId: string,
    id: string,
    { name, branch, deployTrigger, report, template }: ChangedEnvironment,
  ) => {
    const rules = template === null ? null : JSON.stringify(template);
    const values = [organizationId, id, name, branch, deployTrigger, rules, report];
    return (await sql.query(UPDATE_ENVIRONMENT, values)).length > 0;
  },
  protect: async (
    tx: Transaction,
    { organizationId, id }: Environment,
    { deployers, approvers, approvalHours }: Protection,
  ) =>
    (await tx.query(PROTECT_ENVIRONMENT, [organizationId, id, deployers, approvers, approvalHours]))[0] ??
    null,
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE_ENVIRONMENT, [organizationId, id])).length > 0,
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    void (await tx.query(LOCK_ENVIRONMENT, [organizationId, id])),
  deleteOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(DELETE_ENVIRONMENTS, [organizationId, projectId]),
  listConfigured: (sql: Sql, organizationId: string, projectId: string, limit: number) =>
    sql.query(LIST_CONFIGURED_ENVIRONMENTS, [organizationId, projectId, limit]),
  listConfigIds: async (sql: Sql, organizationId: string, projectId: string, beginning: string) =>
    (await sql.query(LIST_CONFIG_IDS, [organizationId, projectId, beginning])).map(
      ({ configId }) => configId,
    ),
  list: (sql: Sql, organizationId: string, projectId: string, page: Page) =>
    sql.query(LIST_ENVIRONMENTS[page.order], [organizationId, idBefore(page), page.limit + 1, projectId]),
};

export const services = {
  insert: async (sql: Sql, service: New<Service>) =>
    toService(
      onlyRow(
        await sql.query(INSERT_SERVICE, [
          service.organizationId,
          newId("svc"),
          service.projectId,
          service.environmentId,
          service.configId,
          service.name,
          service.type,
          JSON.stringify(service.settings),
          service.previewHost,
        ]),
      ),
    ),
  setPreviewHost: (tx: Transaction, organizationId: string, id: string, host: string | null) =>
    tx.send(SET_PREVIEW_HOST, [organizationId, id, host]),
  findGateway: async (sql: Sql, organizationId: string, templateId: string) =>
    (await sql.query(FIND_GATEWAY, [organizationId, templateId])).map(toService)[0] ?? null,
  listOfTemplate: async (sql: Sql, organizationId: string, templateId: string) =>
    (await sql.query(LIST_SERVICES_OF_TEMPLATE, [organizationId, templateId])).map(toService),
  listGatewayTemplates: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(LIST_GATEWAY_TEMPLATES, [organizationId, projectId])).map(
      ({ templateId }) => templateId,
    ),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_SERVICE, [organizationId, id])).map(toService)[0] ?? null,
  update: async (
    sql: Sql,
    organizationId: string,
    id: string,
    { name, settings }: Pick<Service, "name" | "settings">,
  ) => (await sql.query(UPDATE_SERVICE, [organizationId, id, name, JSON.stringify(settings)])).length > 0,
  deleteAll: (sql: Sql, organizationId: string, ids: readonly string[]) =>
    sql.query(DELETE_SERVICES, [organizationId, ids]),
  deleteOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(DELETE_SERVICES_OF_PROJECT, [organizationId, projectId]),
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    void (await tx.query(LOCK_SERVICE, [organizationId, id])),
  list: async (sql: Sql, organizationId: string, environmentId: string, page: Page) =>
    (
      await sql.query(LIST_SERVICES[page.order], [
        organizationId,
        idBefore(page),
        page.limit + 1,
        environmentId,
      ])
    ).map(toService),
  listAll: async (sql: Sql, organizationId: string, page: Page, filter: ServiceFilter, visible: Visible) =>
    (
      await sql.query(LIST_ALL_SERVICES[page.order], [
        organizationId,
        idBefore(page),
        page.limit + 1,
        filter.projectId ?? null,
        filter.type ?? null,
        filter.environmentType ?? null,
        ...visibleValues(visible),
      ])
    ).map(toService),
  listOfProject: async (sql: Sql, organizationId: string, projectId: string, page: Page) =>
    (
      await sql.query(LIST_SERVICES_OF_PROJECT[page.order], [
        organizationId,
        idBefore(page),
        page.limit + 1,
        projectId,
      ])
    ).map(toService),
};
