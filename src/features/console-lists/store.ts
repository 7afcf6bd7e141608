/** What rows of lists show of other resources, for the ids of one page. Each id is read separately. */
import { readStatement, type Sql } from "../../db/database.ts";
import { REPLACING } from "../deployments/later-releases.ts";
import { ofEach } from "../../db/of-each.ts";
import type { Environment } from "../projects/project.ts";
import type {
  AccountFacts,
  DeploymentFacts,
  DomainFacts,
  DomainTrouble,
  LastDeployment,
  ServiceFacts,
} from "./row.ts";

const OF_DEPLOYMENTS = readStatement<DeploymentFacts>(
  "rows_of_deployments",
  ofEach(`SELECT x.id, p.name AS "projectName", e.name AS "environmentName", u.name AS "startedByName",
      (SELECT coalesce(json_agg(json_build_object('id', r.environment_id, 'name', coalesce(n.name, r.config_id),
                'status', r.status, 'isLive', r.status = 'SUCCESS' AND n.id IS NOT NULL
                  AND NOT EXISTS (${REPLACING("$1", "x.id", "r.environment_id")})) ORDER BY r.environment_id), '[]')
         FROM (SELECT environment_id, config_id, status FROM deployment_runs
                WHERE organization_id = $1 AND deployment_id = x.id
                UNION ALL
               SELECT environment_id, config_id, 'PENDING_APPROVAL' FROM deployment_approvals
                WHERE organization_id = $1 AND deployment_id = x.id AND status = 'WAITING') r
         LEFT JOIN environments n ON n.organization_id = $1 AND n.id = r.environment_id) AS environments
    FROM deployments x
    JOIN projects p ON p.organization_id = x.organization_id AND p.id = x.project_id
    LEFT JOIN environments e ON e.organization_id = x.organization_id AND e.id = x.environment_id
    LEFT JOIN users u ON u.organization_id = x.organization_id AND u.id = x.started_by
   WHERE x.organization_id = $1 AND x.id = asked.id`),
);

const OF_DOMAINS = readStatement<DomainFacts>(
  "rows_of_domains",
  ofEach(`SELECT x.id, s.id AS "serviceId", s.name AS "serviceName", e.id AS "environmentId",
      e.name AS "environmentName", p.id AS "projectId", p.name AS "projectName",
      (SELECT c.expires_at FROM certificates c
        WHERE c.organization_id = $1 AND c.group_id = x.group_id AND NOT c.is_abandoned AND c.issued_at IS NOT NULL
          AND x.name = ANY(c.names) ORDER BY c.id DESC LIMIT 1) AS "certificateExpiresAt"
    FROM domains x
    JOIN domain_certificate_groups g ON g.organization_id = x.organization_id AND g.id = x.group_id
    JOIN services s ON s.organization_id = x.organization_id AND s.id = g.service_id
    JOIN environments e ON e.organization_id = x.organization_id AND e.id = s.environment_id
    JOIN projects p ON p.organization_id = x.organization_id AND p.id = s.project_id
   WHERE x.organization_id = $1 AND x.id = asked.id`),
);

const ENVIRONMENTS_OF_PROJECTS = readStatement<Environment>(
  "rows_environments_of_projects",
  ofEach(`SELECT organization_id AS "organizationId", id, project_id AS "projectId", config_id AS "configId", name,
      region, branch, deploy_trigger AS "deployTrigger", report, template, template_id AS "templateId",
      is_fork AS "isFork", pull_request AS "pullRequest", deployers, approvers, approval_hours AS "approvalHours", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM environments WHERE organization_id = $1 AND project_id = asked.id ORDER BY id`),
);

/** The newest run of each environment. */
const LAST_DEPLOYMENTS = readStatement<LastDeployment>(
  "rows_last_deployments",
  ofEach(`SELECT r.environment_id AS "environmentId", d.id, r.status, r.status_reason AS "statusReason", d.branch,
      d.commit_hash AS "commitHash", d.commit_message AS "commitMessage", d.commit_author AS "commitAuthor",
      d.created_at AS "createdAt", r.ended_at AS "endedAt"
    FROM deployment_runs r
    JOIN deployments d ON d.organization_id = r.organization_id AND d.id = r.deployment_id
   WHERE r.organization_id = $1 AND r.environment_id = asked.id ORDER BY r.deployment_id DESC LIMIT 1`),
);

/** How many of a service's domains are shown, and how many of its groups are read for them. */
const DOMAINS_SHOWN = 3;
const GROUPS_READ = 20;

const SERVICES_OF_ENVIRONMENTS = readStatement<ServiceFacts>(
  "rows_services_of_environments",
  ofEach(`SELECT s.id, s.environment_id AS "environmentId", s.name, s.type,
      (SELECT d.deployment_id FROM deployment_services d
        WHERE d.organization_id = $1 AND d.service_id = s.id AND d.status = 'SUCCESS'
        ORDER BY d.deployment_id DESC LIMIT 1) AS "liveDeploymentId",
      coalesce(s.preview_host, (SELECT c.domain_name FROM distributions c
        WHERE c.organization_id = $1 AND c.service_id = s.id AND c.is_default AND c.is_wanted)) AS "cdnDomainName",
      (SELECT coalesce(json_agg(a.name), '[]') FROM (
         SELECT m.name FROM (
           SELECT id FROM domain_certificate_groups
            WHERE organization_id = $1 AND service_id = s.id ORDER BY id LIMIT ${GROUPS_READ}) g
          CROSS JOIN LATERAL (
           SELECT id, name FROM domains
            WHERE organization_id = $1 AND group_id = g.id AND status = 'ATTACHED' AND type <> 'WILDCARD'
            ORDER BY id LIMIT ${DOMAINS_SHOWN}) m
          ORDER BY m.id LIMIT ${DOMAINS_SHOWN}) a) AS "domainNames"
    FROM services s WHERE s.organization_id = $1 AND s.environment_id = asked.id ORDER BY s.id`),
);

/** How many domains that are not served are counted. */
const TROUBLED_READ = 5_000;

/** Of the whole organization: domains that are not served are few, and are found by their status. */
const COUNT_TROUBLED = readStatement<DomainTrouble>(
  "rows_count_troubled_domains",
  `SELECT s.environment_id AS "environmentId",
          sum(CASE WHEN x.status = 'AWAITING_VERIFICATION_RECORDS_TO_BE_SET' THEN 0 ELSE 1 END)::int AS "inError",
          sum(CASE WHEN x.status = 'AWAITING_VERIFICATION_RECORDS_TO_BE_SET' THEN 1 ELSE 0 END)::int AS "awaitingRecords"
     FROM (SELECT organization_id, group_id, status FROM domains
            WHERE organization_id = $1
              AND status IN ('ERROR_ATTACHING', 'ERROR_DETACHING', 'AWAITING_VERIFICATION_RECORDS_TO_BE_SET')
            LIMIT ${TROUBLED_READ}) x
     JOIN domain_certificate_groups g ON g.organization_id = $1 AND g.id = x.group_id
     JOIN services s ON s.organization_id = $1 AND s.id = g.service_id
    WHERE s.environment_id = ANY($2::text[]) GROUP BY s.environment_id`,
);

/** A newer deployment replaces a waiting one, so at most one waits in an environment. */
const APPROVALS_AWAITED = readStatement<{ environmentId: string }>(
  "rows_approvals_awaited",
  `SELECT environment_id AS "environmentId" FROM deployment_approvals
    WHERE organization_id = $1 AND environment_id = ANY($2::text[]) AND status = 'WAITING'`,
);

/** The pull requests from other repositories whose commit waits, by the template of their previews. */
const COUNT_FORKS_AWAITED = readStatement<{ environmentId: string; count: number }>(
  "rows_count_forks_awaited",
  `SELECT template_id AS "environmentId", count(*)::int AS count FROM previews
    WHERE organization_id = $1 AND template_id = ANY($2::text[]) AND state = 'WAITING_FOR_APPROVAL'
    GROUP BY template_id`,
);

const ACCOUNTS = readStatement<AccountFacts>(
  "rows_accounts",
  ofEach(`SELECT id, name, status FROM aws_accounts WHERE organization_id = $1 AND id = asked.id`),
);

type Ids = readonly string[];

export const rows = {
  ofDeployments: (sql: Sql, organizationId: string, ids: Ids) =>
    sql.query(OF_DEPLOYMENTS, [organizationId, ids]),
  ofDomains: (sql: Sql, organizationId: string, ids: Ids) => sql.query(OF_DOMAINS, [organizationId, ids]),
  environmentsOf: (sql: Sql, organizationId: string, projectIds: Ids) =>
    sql.query(ENVIRONMENTS_OF_PROJECTS, [organizationId, projectIds]),
  lastDeploymentsOf: (sql: Sql, organizationId: string, environmentIds: Ids) =>
    sql.query(LAST_DEPLOYMENTS, [organizationId, environmentIds]),
  servicesOf: (sql: Sql, organizationId: string, environmentIds: Ids) =>
    sql.query(SERVICES_OF_ENVIRONMENTS, [organizationId, environmentIds]),
  countTroubled: (sql: Sql, organizationId: string, environmentIds: Ids) =>
    sql.query(COUNT_TROUBLED, [organizationId, environmentIds]),
  approvalsAwaited: (sql: Sql, organizationId: string, environmentIds: Ids) =>
    sql.query(APPROVALS_AWAITED, [organizationId, environmentIds]),
  countForksAwaited: (sql: Sql, organizationId: string, environmentIds: Ids) =>
    sql.query(COUNT_FORKS_AWAITED, [organizationId, environmentIds]),
  accounts: (sql: Sql, organizationId: string, ids: Ids) => sql.query(ACCOUNTS, [organizationId, ids]),
};
