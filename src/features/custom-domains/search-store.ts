/**
 * Searches the domains of a whole organization by name, status, warning, service, environment or project, in order of
 * creation, with up to a million domains. The first rows in that order often fill a page already. Otherwise, all domains that match an indexed
 * filter are read, and the page is taken from them. Services, environments and projects are found through their groups
 * when these are few. When they are many, so are the domains, and reading in order of creation soon meets them.
 */
import { readAsOwner, readStatement, type Sql } from "../../db/database.ts";
import { visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type { Domain, DomainStatus, DomainWithRecords } from "./custom-domain.ts";
import type { SoughtWarning } from "./warnings.ts";
import { readRecords, WITH_RECORDS, type WithRecordsAsJson } from "./store.ts";

export type DomainFilter = {
  /** A whole name, or everything below one: `*.example.com`. A-labels, lower case. */
  readonly name?: string;
  /** What a name begins with, in the stored form. */
  readonly namePrefix?: string;
  readonly status?: DomainStatus;
  readonly warning?: SoughtWarning;
  readonly serviceId?: string;
  readonly environmentId?: string;
  readonly projectId?: string;
};

/** How many rows are read in order of creation before an index is used. */
const WINDOW = 2_000;

/** Up to this number, groups of a service or project are few. A group holds a hundred domains. */
const FEW_GROUPS = 200;

const OF_STATUS = `($6::text IS NULL OR status = $6)`;
const ofGroups = (where: string) => `group_id IN (
      SELECT g.id FROM domain_certificate_groups g JOIN services s ON s.organization_id = g.organization_id AND s.id = g.service_id
       WHERE g.organization_id = $1 AND ${where})`;
const OF_SERVICE = `($7::text IS NULL OR group_id IN (
      SELECT g.id FROM domain_certificate_groups g WHERE g.organization_id = $1 AND g.service_id = $7))`;
const OF_PROJECT = `($8::text IS NULL OR ${ofGroups("s.project_id = $8")})`;
const OF_ENVIRONMENT = `($9::text IS NULL OR ${ofGroups("s.environment_id = $9")})`;
/** With the operators of the index, which compare bytes under any collation and need no separate plan. */
const OF_NAME = `reverse(name) ~>=~ $4 AND reverse(name) ~<~ $5`;
const OF_PREFIX = `($10::text IS NULL OR (name ~>=~ $10 AND name ~<~ $11))`;
/** As `warningsOf` has it; a warning about a record is about that of one purpose. */
const WARNED = `SELECT r.domain_id FROM dns_records r
       WHERE r.organization_id = $1 AND r.status = 'PENDING'
         AND (r.last_check_at IS NOT NULL OR r.purpose = 'CERTIFICATE_AUTHORITY_AUTHORIZATION')
         AND (r.last_ok_at IS NOT NULL OR r.purpose <> 'SERVICE_CONNECTION')
         AND ($12 IN ('ANY', r.purpose) OR ($12 = 'RENEWAL' AND r.purpose <> 'SERVICE_CONNECTION'))`;
/** Before a domain is served, what CAA records refuse. */
const CAA_WARNED = `SELECT r.domain_id FROM dns_records r
       WHERE r.organization_id = $1 AND r.status = 'PENDING' AND r.purpose = 'CERTIFICATE_AUTHORITY_AUTHORIZATION'
         AND $12 IN ('ANY', 'CAA_BEFORE')`;
/** The other warning: of an apex that cannot lead here, and does not. Its one record is found by its key. */
const APEX_WARNED = `SELECT a.id FROM domains a
       WHERE a.organization_id = $1 AND a.is_apex_refused AND a.status NOT IN ('DETACHING', 'ERROR_DETACHING')
         AND $12 IN ('ANY', 'APEX') AND coalesce((SELECT r.status FROM dns_records r
           WHERE r.organization_id = $1 AND r.domain_id = a.id AND r.purpose = 'SERVICE_CONNECTION'), '') <> 'OK'`;
/** And of what prevents Slipway from setting records itself; each has its code. */
const ZONE_WARNED = `SELECT z.id FROM domains z
       WHERE z.organization_id = $1 AND z.zone_problem IS NOT NULL AND z.status NOT IN ('DETACHING', 'ERROR_DETACHING')
         AND $12 IN ('ANY', z.zone_problem)`;
const OF_WARNING = `($12::text IS NULL OR (status = 'ATTACHED' AND id IN (${WARNED}))
    OR (status NOT IN ('ATTACHED', 'DETACHING', 'ERROR_DETACHING') AND id IN (${CAA_WARNED})) OR (is_apex_refused AND id IN (${APEX_WARNED}))
    OR (zone_problem IS NOT NULL AND id IN (${ZONE_WARNED})))`;
/** By the groups of the projects that are shown, or that are not. */
const OF_VISIBLE = `($13::text[] IS NULL OR ${ofGroups("s.project_id = ANY ($13)")})
    AND ($14::text[] IS NULL OR NOT ${ofGroups("s.project_id = ANY ($14)")})`;
const REST = `${OF_VISIBLE} AND ${OF_STATUS} AND ${OF_SERVICE} AND ${OF_PROJECT} AND ${OF_ENVIRONMENT} AND ${OF_PREFIX} AND ${OF_WARNING}`;

const OF_ALL = `($4::text IS NULL OR (${OF_NAME})) AND ${REST}`;

const SEARCH_WINDOW = pagedStatement<Domain & WithRecordsAsJson>(
  "domains_search_window",
  (after, direction) => `SELECT ${WITH_RECORDS} FROM (
      SELECT * FROM domains WHERE organization_id = $1 AND id ${after} $2 ORDER BY id ${direction} LIMIT ${WINDOW}) domains
    WHERE organization_id = $1 AND ${OF_ALL} ORDER BY id ${direction} LIMIT $3`,
);

/** First finds all ids by an index, then sorts these. @param where the condition of the index */
const searchFound = (by: string, where: string) =>
  pagedStatement<Domain & WithRecordsAsJson>(
    `domains_search_by_${by}`,
    (after, direction) => `WITH found AS MATERIALIZED (
      SELECT id FROM domains WHERE organization_id = $1 AND ${where} AND id ${after} $2 AND ${OF_ALL})
    SELECT ${WITH_RECORDS} FROM domains
     WHERE organization_id = $1 AND id IN (SELECT id FROM found ORDER BY id ${direction} LIMIT $3)
     ORDER BY id ${direction}`,
  );
/** As the owner, so that the index of reversed names is used. */
const FIND_BY_NAME = pagedStatement<{ id: string }>(
  "domains_search_by_name",
  (after, direction) => `WITH named AS MATERIALIZED (
      SELECT id FROM domains WHERE organization_id = $1 AND ${OF_NAME} AND id ${after} $2 AND ${REST})
    SELECT id FROM named ORDER BY id ${direction} LIMIT $3`,
  readAsOwner,
);
const LIST = pagedStatement<Domain & WithRecordsAsJson>(
  "domains_search_list",
  (_after, direction) => `SELECT ${WITH_RECORDS} FROM domains
    WHERE organization_id = $1 AND id = ANY ($2::text[]) ORDER BY id ${direction}`,
);
const SEARCH_BY_PREFIX = searchFound("prefix", "name ~>=~ $10 AND name ~<~ $11");
const SEARCH_BY_GROUPS = searchFound("groups", "group_id = ANY($15::text[])");

const SEARCH_BY_WARNING = pagedStatement<Domain & WithRecordsAsJson>(
  "domains_search_by_warning",
  (
    after,
    direction,
  ) => `WITH warned AS MATERIALIZED (${WARNED} UNION ALL ${CAA_WARNED} UNION ALL ${APEX_WARNED} UNION ALL ${ZONE_WARNED})
    SELECT ${WITH_RECORDS} FROM domains
     WHERE organization_id = $1 AND id IN (SELECT domain_id FROM warned) AND id ${after} $2
       AND ${OF_ALL} ORDER BY id ${direction} LIMIT $3`,
);

const SEARCH_ALL = pagedStatement<Domain & WithRecordsAsJson>(
  "domains_search_all",
  (after, direction) => `SELECT ${WITH_RECORDS} FROM domains
    WHERE organization_id = $1 AND id ${after} $2 AND ${OF_ALL} ORDER BY id ${direction} LIMIT $3`,
);

const SEARCH_BY_STATUS = pagedStatement<Domain & WithRecordsAsJson>(
  "domains_search_by_status",
  (after, direction) => `SELECT ${WITH_RECORDS} FROM domains
    WHERE organization_id = $1 AND status = $6 AND id ${after} $2 AND ${OF_ALL}
    ORDER BY status ${direction}, id ${direction} LIMIT $3`,
);

const listGroupsOf = (owner: "service" | "project" | "environment", column: string) =>
  readStatement<{ id: string }>(
    `domains_search_groups_of_${owner}`,
    `SELECT g.id FROM services s
       JOIN domain_certificate_groups g ON g.organization_id = s.organization_id AND g.service_id = s.id
      WHERE s.organization_id = $1 AND s.${column} = $2 LIMIT $3`,
  );
const LIST_GROUPS_OF_SERVICE = listGroupsOf("service", "id");
const LIST_GROUPS_OF_PROJECT = listGroupsOf("project", "project_id");
const LIST_GROUPS_OF_ENVIRONMENT = listGroupsOf("environment", "environment_id");

/** The page, and one row more. */
export async function searchDomains(
  sql: Sql,
  organizationId: string,
  page: Page,
  filter: DomainFilter,
  visible: Visible,
): Promise<readonly DomainWithRecords[]> {
  const range = filter.name === undefined ? null : rangeOf(filter.name);
  const wanted = page.limit + 1;
  const values = [
    organizationId,
    idBefore(page),
    wanted,
    range?.from ?? null,
    range?.to ?? null,
    filter.status ?? null,
    filter.serviceId ?? null,
    filter.projectId ?? null,
    filter.environmentId ?? null,
    filter.namePrefix ?? null,
    filter.namePrefix === undefined ? null : `${filter.namePrefix}\u007f`,
    filter.warning === undefined ? null : PURPOSES[filter.warning],
    ...visibleValues(visible),
  ];
  const first = await sql.query(SEARCH_WINDOW[page.order], values);
  if (first.length === wanted || (Object.keys(filter).length === 0 && visible === null))
    return first.map(withRecords);
  const groupIds = await findFewGroups(sql, organizationId, filter);
  if (groupIds?.length === 0) return [];
  if (groupIds !== null)
    return (await sql.query(SEARCH_BY_GROUPS[page.order], [...values, groupIds])).map(withRecords);
  // Nearly all domains are attached; the other statuses are rare.
  const isOfFew = filter.status !== undefined && filter.status !== "ATTACHED";
  if (filter.warning === undefined && !isOfFew && range !== null) {
    const ids = (await sql.query(FIND_BY_NAME[page.order], values)).map(({ id }) => id);
    return (await sql.query(LIST[page.order], [organizationId, ids])).map(withRecords);
  }
  const complete =
    filter.warning !== undefined
      ? SEARCH_BY_WARNING
      : isOfFew
        ? SEARCH_BY_STATUS
        : filter.namePrefix === undefined
          ? SEARCH_ALL
          : SEARCH_BY_PREFIX;
  return (await sql.query(complete[page.order], values)).map(withRecords);
}

/** The purpose of the record that a warning is about. A warning that is about no record has a word of its own. */
const PURPOSES: Readonly<Record<SoughtWarning, string>> = {
  ANY: "ANY",
  RENEWAL_UNSAFE: "RENEWAL",
  VERIFICATION_RECORD_MISSING: "CERTIFICATE_DOMAIN_VERIFICATION",
  CONNECTION_RECORD_MISSING: "SERVICE_CONNECTION",
  CAA_REFUSES_RENEWAL: "CERTIFICATE_AUTHORITY_AUTHORIZATION",
  CAA_REFUSES_CERTIFICATE: "CAA_BEFORE",
  APEX_NOT_SUPPORTED: "APEX",
  DNS_RECORD_CONFLICT: "DNS_RECORD_CONFLICT",
  DNS_WILDCARD_IN_USE: "DNS_WILDCARD_IN_USE",
  DNS_ZONE_NOT_FOUND: "DNS_ZONE_NOT_FOUND",
  DNS_ZONE_AMBIGUOUS: "DNS_ZONE_AMBIGUOUS",
  DNS_ZONE_NOT_ALLOWED: "DNS_ZONE_NOT_ALLOWED",
};

/** The groups of the filtered service, environment or project; null when none is filtered, or there are too many. */
async function findFewGroups(
  sql: Sql,
  organizationId: string,
  { serviceId, environmentId, projectId }: DomainFilter,
): Promise<readonly string[] | null> {
  const [list, ownerId] =
    serviceId !== undefined
      ? [LIST_GROUPS_OF_SERVICE, serviceId]
      : environmentId === undefined
        ? [LIST_GROUPS_OF_PROJECT, projectId]
        : [LIST_GROUPS_OF_ENVIRONMENT, environmentId];
  if (ownerId === undefined) return null;
  const rows = await sql.query(list, [organizationId, ownerId, FEW_GROUPS + 1]);
  return rows.length > FEW_GROUPS ? null : rows.map(({ id }) => id);
}

function withRecords(row: Domain & WithRecordsAsJson) {
  return { ...row, records: readRecords(row) };
}

/**
 * The bounds of the reversed names: names with the same end have the same beginning when reversed. No name contains a
 * character below `!` or above `~`.
 */
function rangeOf(name: string): { readonly from: string; readonly to: string } {
  const reversed = name.replace(/^\*/, "").split("").toReversed().join("");
  return { from: reversed, to: reversed + (name.startsWith("*.") ? "\u007f" : "\u0001") };
}
