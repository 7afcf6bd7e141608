import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { type JsonRow, readJsonRow } from "../../db/json-rows.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type {
  AttachmentError,
  DnsRecord,
  Domain,
  DomainStatus,
  Group,
  GroupStatus,
  ZoneState,
} from "./custom-domain.ts";
import { recordColumns } from "./records/columns.ts";

/** The columns of a group, as `Group` names them. */
export const GROUP = `organization_id AS "organizationId", id, service_id AS "serviceId", distribution_id AS "distributionId", name,
  is_default_cdn AS "isDefaultCdn", status, is_deleting AS "isDeleting", auto_dns AS "autoDns", replace_not_before AS "replaceNotBefore",
  created_at AS "createdAt", updated_at AS "updatedAt"`;
/** The columns of a domain, as `Domain` names them. */
const DOMAIN = `organization_id AS "organizationId", id, group_id AS "groupId", svc_attachment_id AS "svcAttachmentId", name, type,
  status, is_wanted AS "isDesired", last_attachment_error AS "lastAttachmentError", delegation,
  is_apex_refused AS "isApexRefused", zone_state AS "zoneState", is_held_back AS "isHeldBack", redirect_to AS "redirectTo",
  is_redirect_live AS "isRedirectLive", redirect_problem AS "redirectProblem", created_at AS "createdAt", updated_at AS "updatedAt"`;

type Key = Pick<Domain, "organizationId" | "id">;
export type WithRecordsAsJson = { readonly records: readonly JsonRow<DnsRecord>[] };

export function readRecords({ records }: WithRecordsAsJson): readonly DnsRecord[] {
  return records.map((record) => readJsonRow(record, ["since", "lastCheckAt", "lastOkAt"]));
}

const INSERT_GROUP = writeStatement<Group>(
  "domain_groups_insert",
  `INSERT INTO domain_certificate_groups (organization_id, id, service_id, distribution_id, name, is_default_cdn, auto_dns, status)
   VALUES ($1, $2, $3, $4, $5, $6, $7, 'DRAFT') RETURNING ${GROUP}`,
);
const FIND_GROUP = readStatement<Group>(
  "domain_groups_find",
  `SELECT ${GROUP} FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2`,
);
const FIND_DEFAULT_GROUP = readStatement<Group>(
  "domain_groups_find_default",
  `SELECT ${GROUP} FROM domain_certificate_groups WHERE organization_id = $1 AND service_id = $2 AND is_default_cdn`,
);
const LOCK_GROUP = writeStatement<Group>(
  "domain_groups_lock",
  `SELECT ${GROUP} FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);
const LIST_GROUPS = pagedStatement<Group>(
  "domain_groups_list",
  (after, direction) => `SELECT ${GROUP} FROM domain_certificate_groups
    WHERE organization_id = $1 AND service_id = $2 AND id ${after} $3 ORDER BY id ${direction} LIMIT $4`,
);
const LIST_GROUPS_OF_DISTRIBUTION = readStatement<{ id: string }>(
  "domain_groups_list_of_distribution",
  `SELECT id FROM domain_certificate_groups WHERE organization_id = $1 AND distribution_id = $2`,
);
const LIST_GROUPS_OF_PROJECT = readStatement<{ id: string }>(
  "domain_groups_list_of_project",
  `SELECT g.id FROM domain_certificate_groups g
     JOIN services s ON s.organization_id = g.organization_id AND s.id = g.service_id
    WHERE g.organization_id = $1 AND s.project_id = $2 ORDER BY g.id`,
);
/** A group without domains is listed with an empty name: it may have a certificate and a distribution. */
const LIST_NAMES_OF_SERVICES = readStatement<{ serviceId: string; name: string }>(
  "domain_groups_list_names_of_services",
  `SELECT g.service_id AS "serviceId", coalesce(d.name, '') AS name FROM domain_certificate_groups g
     LEFT JOIN domains d ON d.organization_id = g.organization_id AND d.group_id = g.id
    WHERE g.organization_id = $1 AND g.service_id = ANY($2::text[]) ORDER BY g.service_id, d.name`,
);
/** `DELETING` is final: a decision from before the deletion must not undo it. */
const SET_GROUP_STATUS = writeStatement<{ id: string }>(
  "domain_groups_set_status",
  `UPDATE domain_certificate_groups SET status = $3, is_deleting = ($3 = 'DELETING'), updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND status <> $3 AND NOT is_deleting RETURNING id`,
);
const SET_AUTO_DNS = writeStatement<Group>(
  "domain_groups_set_auto_dns",
  `UPDATE domain_certificate_groups SET auto_dns = $3, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND auto_dns <> $3 RETURNING ${GROUP}`,
);
const PUT_OFF_REPLACEMENT = writeStatement(
  "domain_groups_put_off_replacement",
  `UPDATE domain_certificate_groups SET replace_not_before = $3 WHERE organization_id = $1 AND id = $2`,
);
const DELETE_GROUP = writeStatement<{ id: string }>(
  "domain_groups_delete",
  `DELETE FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

/** In the order of their names, so that two requests with the same names cannot deadlock. */
const INSERT_DOMAINS = writeStatement<Domain>(
  "domains_insert",
  `INSERT INTO domains (organization_id, id, group_id, svc_attachment_id, name, type, status)
   SELECT $1, given.id, given.group_id, given.svc_attachment_id, given.name, given.type, 'PENDING'
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       AS given(group_id, id, svc_attachment_id, name, type)
    ORDER BY given.name
   ON CONFLICT ON CONSTRAINT domains_name_key DO NOTHING RETURNING ${DOMAIN}`,
);
const FIND_DOMAIN = readStatement<Domain>(
  "domains_find",
  `SELECT ${DOMAIN} FROM domains WHERE organization_id = $1 AND id = $2`,
);
const FIND_TAKEN = readStatement<{ name: string; groupId: string; projectId: string; isDesired: boolean }>(
  "domains_find_taken",
  `SELECT d.name, d.group_id AS "groupId", s.project_id AS "projectId", d.is_wanted AS "isDesired" FROM domains d
     JOIN domain_certificate_groups g ON g.organization_id = $1 AND g.id = d.group_id
     JOIN services s ON s.organization_id = $1 AND s.id = g.service_id
    WHERE d.organization_id = $1 AND d.name = ANY($2::text[]) ORDER BY d.name`,
);
const COUNT_IN_ERROR = readStatement<{ groupId: string; count: number }>(
  "domains_count_in_error",
  `SELECT wanted.id AS "groupId", found.count FROM unnest($2::text[]) AS wanted(id) CROSS JOIN LATERAL (
     SELECT count(organization_id)::int AS count FROM domains
      WHERE organization_id = $1 AND group_id = wanted.id AND status IN ('ERROR_ATTACHING', 'ERROR_DETACHING')) found`,
);
const LIST_DOMAINS = readStatement<Domain>(
  "domains_list",
  `SELECT ${DOMAIN} FROM domains WHERE organization_id = $1 AND group_id = $2 ORDER BY id LIMIT $3`,
);
/**
 * With its records: they are always shown together, and a second round trip costs more than everything else. `$1` is the
 * organization.
 */
export const WITH_RECORDS = `${DOMAIN}, (SELECT coalesce(json_agg(r ORDER BY r.id), '[]') FROM (
    SELECT ${recordColumns()} FROM dns_records WHERE organization_id = $1 AND domain_id = domains.id) r) AS records`;
/** Also what the bench's bare server runs. */
export const FIND_DOMAIN_WITH_RECORDS = readStatement<Domain & WithRecordsAsJson>(
  "domains_find_with_records",
  `SELECT ${WITH_RECORDS} FROM domains WHERE organization_id = $1 AND id = $2`,
);
/** Also what the bench's bare server runs. */
export const LIST_DOMAINS_WITH_RECORDS = pagedStatement<Domain & WithRecordsAsJson>(
  "domains_list_with_records",
  (after, direction) => `SELECT ${WITH_RECORDS} FROM domains
    WHERE organization_id = $1 AND group_id = $2 AND id ${after} $3 ORDER BY id ${direction} LIMIT $4`,
);
const MOVE_DOMAIN = writeStatement<{ id: string }>(
  "domains_move",
  `UPDATE domains SET status = $4, last_attachment_error = $5::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND status = $3
      AND (status <> $4 OR last_attachment_error IS DISTINCT FROM $5::jsonb) RETURNING id`,
);
const RESUME_DENIED = writeStatement<{ id: string; groupId: string }>(
  "domains_resume_denied",
  `UPDATE domains SET status = CASE WHEN is_wanted THEN 'PENDING' ELSE 'DETACHING' END, last_attachment_error = NULL,
      updated_at = now()
    WHERE organization_id = $1 AND status IN ('ERROR_ATTACHING', 'ERROR_DETACHING')
      AND last_attachment_error ->> 'code' = 'Cloud:ACCOUNT:Error:ACCESS_DENIED'
      AND group_id IN (SELECT g.id FROM domain_certificate_groups g
        JOIN distributions d ON d.organization_id = g.organization_id AND d.id = g.distribution_id
       WHERE g.organization_id = $1 AND d.aws_account_id = $2)
   RETURNING id, group_id AS "groupId"`,
);
const UNWANT_DOMAIN = writeStatement<Domain>(
  "domains_unwant",
  `UPDATE domains SET is_wanted = false, status = 'DETACHING', last_attachment_error = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${DOMAIN}`,
);
/** In a distributed database, where no reference leads from one node to another. */
const FORGET_NAME = writeStatement(
  "proven_names_forget",
  `DELETE FROM proven_names WHERE parent = $4 AND name = $3 AND organization_id = $1 AND domain_id = $2`,
);
const SET_HELD_BACK = writeStatement(
  "domains_set_held_back",
  `UPDATE domains SET is_held_back = $3 WHERE organization_id = $1 AND id = ANY($2::text[])`,
);
const DELETE_DOMAIN = writeStatement<{ id: string }>(
  "domains_delete",
  `DELETE FROM domains WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

const FIND_DOMAIN_BY_NAME = readStatement<Domain>(
  "domains_find_by_name",
  `SELECT ${DOMAIN} FROM domains WHERE organization_id = $1 AND name = $2`,
);
/** Only if it is as it was read: a step of a worker that was overtaken writes nothing. */
const RECORD_ZONE_STATE = writeStatement<{ id: string }>(
  "domains_record_zone_state",
  `UPDATE domains SET zone_state = $3::jsonb, zone_problem = $3::jsonb -> 'problem' ->> 'code'
    WHERE organization_id = $1 AND id = $2 AND zone_state IS NOT DISTINCT FROM $4::jsonb RETURNING id`,
);

const LOCK_PARENT = writeStatement(
  "proven_names_lock_parent",
  `SELECT pg_advisory_xact_lock(hashtextextended($1, 26137))`,
);
/**
 * Names are global, so only this statement looks beyond the organization. It only reveals whether the name is
 * ours. If the row is already ours, the domain that claims the name takes it over.
 */
const CLAIM_NAME = writeStatement<{ name: string }>(
  "proven_names_claim",
  `INSERT INTO proven_names AS own (parent, name, organization_id, domain_id)
   SELECT $4, $1, $2, $3 WHERE NOT EXISTS (
     SELECT 1 FROM proven_names p
      WHERE p.organization_id <> $2 AND p.parent = $4 AND (p.name = $1 OR p.name = '*.' || $4 OR $1 = '*.' || $4))
   ON CONFLICT ON CONSTRAINT proven_names_pkey DO UPDATE SET domain_id = excluded.domain_id
    WHERE own.organization_id = excluded.organization_id
   RETURNING own.name`,
);

export type NewGroup = Pick<
  Group,
  "organizationId" | "id" | "serviceId" | "distributionId" | "name" | "isDefaultCdn" | "autoDns"
>;

export const groups = {
  insert: async (tx: Transaction, group: NewGroup) => {
    const { organizationId, id, serviceId, distributionId, name, isDefaultCdn, autoDns } = group;
    const values = [organizationId, id, serviceId, distributionId, name, isDefaultCdn, autoDns];
    return (await tx.query(INSERT_GROUP, values))[0];
  },
  /** Null if it is so already. */
  setAutoDns: async (sql: Sql, organizationId: string, id: string, autoDns: boolean) =>
    (await sql.query(SET_AUTO_DNS, [organizationId, id, autoDns]))[0] ?? null,
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_GROUP, [organizationId, id]))[0] ?? null,
  /** Serializes changes to one group. */
  findDefault: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_DEFAULT_GROUP, [organizationId, serviceId]))[0] ?? null,
  lock: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(LOCK_GROUP, [organizationId, id]))[0] ?? null,
  /** The same, if the group is already known. */
  hold: (tx: Transaction, organizationId: string, id: string) => tx.send(LOCK_GROUP, [organizationId, id]),
  list: (sql: Sql, organizationId: string, serviceId: string, page: Page) =>
    sql.query(LIST_GROUPS[page.order], [organizationId, serviceId, idBefore(page), page.limit + 1]),
  listOfDistribution: (sql: Sql, organizationId: string, distributionId: string) =>
    sql.query(LIST_GROUPS_OF_DISTRIBUTION, [organizationId, distributionId]),
  listOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(LIST_GROUPS_OF_PROJECT, [organizationId, projectId]),
  listNamesOfServices: (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    sql.query(LIST_NAMES_OF_SERVICES, [organizationId, serviceIds]),
  /** @returns whether it had another status, and is not being deleted */
  setStatus: async (tx: Transaction, { organizationId, id }: Key, status: GroupStatus) =>
    (await tx.query(SET_GROUP_STATUS, [organizationId, id, status])).length > 0,
  putOffReplacement: async (sql: Sql, { organizationId, id }: Group, until: Date) =>
    void (await sql.query(PUT_OFF_REPLACEMENT, [organizationId, id, until])),
  /** @returns whether it was there */
  delete: async (tx: Transaction, { organizationId, id }: Key) =>
    (await tx.query(DELETE_GROUP, [organizationId, id])).length > 0,
};

export const domains = {
  /** @returns those whose name no other domain of the organization has */
  insert: (
    sql: Sql,
    organizationId: string,
    given: readonly Pick<Domain, "groupId" | "id" | "svcAttachmentId" | "name" | "type">[],
  ) =>
    sql.query(INSERT_DOMAINS, [
      organizationId,
      given.map(({ groupId }) => groupId),
      given.map(({ id }) => id),
      given.map(({ svcAttachmentId }) => svcAttachmentId),
      given.map(({ name }) => name),
      given.map(({ type }) => type),
    ]),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_DOMAIN, [organizationId, id]))[0] ?? null,
  findTaken: (sql: Sql, organizationId: string, names: readonly string[]) =>
    sql.query(FIND_TAKEN, [organizationId, names]),
  findWithRecords: async (sql: Sql, organizationId: string, id: string) => {
    const [row] = await sql.query(FIND_DOMAIN_WITH_RECORDS, [organizationId, id]);
    return row === undefined ? null : { ...row, records: readRecords(row) };
  },
  listWithRecords: async (sql: Sql, organizationId: string, groupId: string, page: Page) => {
    const rows = await sql.query(LIST_DOMAINS_WITH_RECORDS[page.order], [
      organizationId,
      groupId,
      idBefore(page),
      page.limit + 1,
    ]);
    return rows.map((row) => ({ ...row, records: readRecords(row) }));
  },
  /** All domains of a group; a group holds some hundreds at most. */
  listAll: (sql: Sql, organizationId: string, groupId: string) =>
    sql.query(LIST_DOMAINS, [organizationId, groupId, 10_000]),
  countInError: (sql: Sql, organizationId: string, groupIds: readonly string[]) =>
    sql.query(COUNT_IN_ERROR, [organizationId, groupIds]),
  /** @returns false if the domain no longer has the status that was read, or nothing changes */
  move: async (
    tx: Transaction,
    { organizationId, id, status: from }: Key & Pick<Domain, "status">,
    status: DomainStatus,
    error: AttachmentError | null,
  ) => {
    const json = error === null ? null : JSON.stringify(error);
    return (await tx.query(MOVE_DOMAIN, [organizationId, id, from, status, json])).length > 0;
  },
  /** Null if the organization has no domain of this name. */
  findByName: async (sql: Sql, organizationId: string, name: string) =>
    (await sql.query(FIND_DOMAIN_BY_NAME, [organizationId, name]))[0] ?? null,
  /** @param before as it was read @returns false if it was changed since */
  recordZoneState: async (
    tx: Transaction,
    { organizationId, id }: Key,
    before: ZoneState | null,
    state: ZoneState,
  ) => {
    const json = before === null ? null : JSON.stringify(before);
    return (await tx.query(RECORD_ZONE_STATE, [organizationId, id, JSON.stringify(state), json])).length > 0;
  },
  setHeldBack: async (sql: Sql, organizationId: string, ids: readonly string[], isHeldBack: boolean) =>
    void (await sql.query(SET_HELD_BACK, [organizationId, ids, isHeldBack])),
  /** Retries the domains of an account that failed because access was denied. */
  resumeDenied: (sql: Sql, organizationId: string, awsAccountId: string) =>
    sql.query(RESUME_DENIED, [organizationId, awsAccountId]),
  unwant: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(UNWANT_DOMAIN, [organizationId, id]))[0] ?? null,
  /** @returns whether it was there */
  delete: async (tx: Transaction, { organizationId, id }: Key) =>
    (await tx.query(DELETE_DOMAIN, [organizationId, id])).length > 0,
};

/** Below it, names overlap: a wildcard and the names that it covers. */
export function parentOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

export const provenNames = {
  /** Until the transaction ends, no other can claim a name directly below this one. */
  lockParent: async (tx: Transaction, parent: string) => void (await tx.query(LOCK_PARENT, [parent])),
  /** False if the name, or an overlapping one, belongs to another organization. */
  claim: async (tx: Transaction, { name, organizationId, id }: Key & Pick<Domain, "name">) =>
    (await tx.query(CLAIM_NAME, [name, organizationId, id, parentOf(name)])).length > 0,
  /** To be called with the deletion of the domain. */
  forget: (tx: Transaction, { name, organizationId, id }: Key & Pick<Domain, "name">) =>
    tx.send(FORGET_NAME, [organizationId, id, name, parentOf(name)]),
};
