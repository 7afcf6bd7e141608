import { readAsOwner, readStatement, type Sql, writeStatement } from "../../db/database.ts";
import { createPrune } from "../../db/prune.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import type { DeploymentDay, DomainCounts, DomainDay, ExpiryWeek } from "./statistics.ts";

const COUNTS = `sum(CASE WHEN status = 'ATTACHED' THEN n ELSE 0 END)::int AS attached,
    sum(CASE WHEN status IN ('ERROR_ATTACHING', 'ERROR_DETACHING') THEN n ELSE 0 END)::int AS "inError",
    sum(CASE WHEN status = 'AWAITING_VERIFICATION_RECORDS_TO_BE_SET' THEN n ELSE 0 END)::int AS "awaitingRecords",
    sum(CASE WHEN status IN ('PENDING', 'CREATING', 'ATTACHING', 'DETACHING') THEN n ELSE 0 END)::int AS "inProgress"`;
const groupsOf = (only: string, but: string): string =>
  `SELECT g.id FROM domain_certificate_groups g JOIN services s ON s.organization_id = g.organization_id AND s.id = g.service_id
      WHERE g.organization_id = $1 AND ${visibleProject("s.project_id", only, but)}`;

/** Reads only the index by status. */
const COUNT_DOMAINS = readStatement<DomainCounts>(
  "statistics_count_domains",
  `SELECT ${COUNTS} FROM (
     SELECT status, count(status) AS n FROM domains WHERE organization_id = $1 GROUP BY status) counted`,
);
const COUNT_DOMAINS_OF_PROJECTS = readStatement<DomainCounts>(
  "statistics_count_domains_of_projects",
  `SELECT ${COUNTS} FROM (
     SELECT status, count(status) AS n FROM domains
      WHERE organization_id = $1 AND group_id IN (${groupsOf("$2", "$3")}) GROUP BY status) counted`,
);

const LIST_DOMAIN_DAYS = readStatement<DomainDay>(
  "domain_days_list",
  `SELECT to_char(day, 'YYYY-MM-DD') AS day, attached, in_error AS "inError", awaiting_records AS "awaitingRecords",
          in_progress AS "inProgress"
     FROM domain_days WHERE organization_id = $1 AND day >= $2::date ORDER BY day`,
);

/** A sweep over all organizations. */
const COUNT_ALL_DOMAINS = readAsOwner<DomainCounts & { readonly organizationId: string }>(
  "domain_days_count",
  `SELECT organization_id AS "organizationId", ${COUNTS} FROM (
     SELECT organization_id, status, count(status) AS n FROM domains GROUP BY organization_id, status) counted
    GROUP BY organization_id`,
);

const RECORD_DOMAIN_DAYS = writeStatement(
  "domain_days_record",
  `INSERT INTO domain_days (organization_id, day, attached, in_error, awaiting_records, in_progress)
   SELECT given.id, $2::date, given.a, given.e, given.w, given.p
     FROM unnest($1::text[], $3::int[], $4::int[], $5::int[], $6::int[]) AS given(id, a, e, w, p)
   ON CONFLICT (organization_id, day) DO UPDATE
      SET attached = excluded.attached, in_error = excluded.in_error, awaiting_records = excluded.awaiting_records,
          in_progress = excluded.in_progress`,
);

const COUNT_EXPIRIES = readStatement<ExpiryWeek>(
  "statistics_count_expiries",
  `SELECT to_char(date_trunc('week', expires_at AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS week, count(id)::int AS count
     FROM certificates
    WHERE organization_id = $1 AND NOT is_abandoned AND expires_at < $2
      AND (($3::text[] IS NULL AND $4::text[] IS NULL) OR group_id IN (${groupsOf("$3", "$4")}))
    GROUP BY 1 ORDER BY 1`,
);

/** A deployment's id contains the time of its acceptance, so the range is a range of the primary key. */
const COUNT_DEPLOYMENTS = readStatement<DeploymentDay>(
  "statistics_count_deployments",
  `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
          sum(CASE WHEN status = 'SUCCESS' THEN 1 ELSE 0 END)::int AS succeeded,
          sum(CASE WHEN status IN ('ERROR', 'BUILD_ERROR') THEN 1 ELSE 0 END)::int AS failed,
          sum(CASE WHEN status IN ('CANCELLED', 'SUPERSEDED') THEN 1 ELSE 0 END)::int AS stopped,
          sum(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END)::int AS unended,
          percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS "medianSeconds", max(seconds) AS "maxSeconds"
     FROM (SELECT created_at, status, ended_at,
                  CASE WHEN status = 'SUCCESS' THEN extract(epoch FROM ended_at - started_at)::float8 END AS seconds
             FROM deployments WHERE organization_id = $1 AND id >= $2 AND ${visibleProject("project_id", "$3", "$4")}) accepted
    GROUP BY 1 ORDER BY 1`,
);

const NO_DOMAINS: DomainCounts = { attached: 0, inError: 0, awaitingRecords: 0, inProgress: 0 };

export const statistics = {
  /** As they are now. */
  countDomains: async (sql: Sql, organizationId: string, visible: Visible): Promise<DomainCounts> => {
    const [counts = NO_DOMAINS] =
      visible === null
        ? await sql.query(COUNT_DOMAINS, [organizationId])
        : await sql.query(COUNT_DOMAINS_OF_PROJECTS, [organizationId, ...visibleValues(visible)]);
    // Without a row, a sum is null.
    return counts.attached === null ? NO_DOMAINS : counts;
  },
  listDomainDays: (sql: Sql, organizationId: string, fromDay: string) =>
    sql.query(LIST_DOMAIN_DAYS, [organizationId, fromDay]),
  /** Of all organizations. */
  countAllDomains: (sql: Sql) => sql.query(COUNT_ALL_DOMAINS),
  recordDomainDays: async (
    sql: Sql,
    day: string,
    counted: readonly (DomainCounts & { readonly organizationId: string })[],
  ): Promise<void> =>
    void (await sql.query(RECORD_DOMAIN_DAYS, [
      counted.map(({ organizationId }) => organizationId),
      day,
      counted.map(({ attached }) => attached),
      counted.map(({ inError }) => inError),
      counted.map(({ awaitingRecords }) => awaitingRecords),
      counted.map(({ inProgress }) => inProgress),
    ])),
  pruneDomainDays: createPrune<[beforeDay: string]>(
    "domain_days_prune",
    "domain_days",
    "organization_id, day",
    "day < $1::date",
  ),
  countExpiries: (sql: Sql, organizationId: string, until: Date, visible: Visible) =>
    sql.query(COUNT_EXPIRIES, [organizationId, until, ...visibleValues(visible)]),
  countDeployments: (sql: Sql, organizationId: string, fromId: string, visible: Visible) =>
    sql.query(COUNT_DEPLOYMENTS, [organizationId, fromId, ...visibleValues(visible)]),
};
