import type { CertificateSeen } from "../cloud/cloud.ts";
import { type Sql, statement, type Transaction } from "../db/database.ts";
import type { Page } from "../db/page.ts";
import type {
  AttachmentError,
  Certificate,
  DnsRecord,
  Domain,
  DomainStatus,
  Group,
  GroupStatus,
} from "./custom-domain.ts";

const GROUP = `organization_id AS "organizationId", id, service_id AS "serviceId", distribution_id AS "distributionId", name,
  is_default_cdn AS "isDefaultCdn", status, is_deleting AS "isDeleting", replace_not_before AS "replaceNotBefore",
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const DOMAIN = `organization_id AS "organizationId", id, group_id AS "groupId", svc_attachment_id AS "svcAttachmentId", name, type,
  status, is_wanted AS "isWanted", last_attachment_error AS "lastAttachmentError", created_at AS "createdAt", updated_at AS "updatedAt"`;
const CERTIFICATE = `organization_id AS "organizationId", id, group_id AS "groupId", names, status, provider_id AS "providerId",
  requested_at AS "requestedAt", request_started_at AS "requestStartedAt", validation_deadline_at AS "validationDeadlineAt", issued_at AS "issuedAt",
  expires_at AS "expiresAt", renewal_status AS "renewalStatus", is_abandoned AS "isAbandoned", created_at AS "createdAt"`;
const RECORD = `organization_id AS "organizationId", id, domain_id AS "domainId", purpose, type, name, value, status,
  last_check_at AS "lastCheckAt", last_check_value AS "lastCheckValue", last_check_error AS "lastCheckError",
  last_ok_at AS "lastOkAt"`;

type InstantOfRecord = { [K in keyof DnsRecord]: Date extends DnsRecord[K] ? K : never }[keyof DnsRecord];
/** Its instants are text: JSON has no other. */
type RecordJson = Omit<DnsRecord, InstantOfRecord> & Readonly<Record<InstantOfRecord, string | null>>;

function readRecords<D extends { readonly records: readonly RecordJson[] }>(
  row: D,
): Omit<D, "records"> & { records: readonly DnsRecord[] } {
  const records = row.records.map((record) => ({
    ...record,
    lastCheckAt: readInstant(record.lastCheckAt),
    lastOkAt: readInstant(record.lastOkAt),
  }));
  return { ...row, records };
}

function readInstant(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const INSERT_GROUP = statement<Group>(
  "domain_groups_insert",
  `INSERT INTO domain_certificate_groups (organization_id, id, service_id, distribution_id, name, is_default_cdn, status)
   VALUES ($1, $2, $3, $4, $5, $6, 'DRAFT') RETURNING ${GROUP}`,
);
const FIND_GROUP = statement<Group>(
  "domain_groups_find",
  `SELECT ${GROUP} FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2`,
);
const LOCK_GROUP = statement<Group>(
  "domain_groups_lock",
  `SELECT ${GROUP} FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);
const LIST_GROUPS = statement<Group>(
  "domain_groups_list",
  `SELECT ${GROUP} FROM domain_certificate_groups
    WHERE organization_id = $1 AND service_id = $2 AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $4`,
);
const LIST_GROUPS_OF_DISTRIBUTION = statement<{ id: string }>(
  "domain_groups_list_of_distribution",
  `SELECT id FROM domain_certificate_groups WHERE organization_id = $1 AND distribution_id = $2`,
);
const COUNT_GROUPS_OF_PROJECT = statement<{ count: number }>(
  "domain_groups_count_of_project",
  `SELECT count(g.organization_id)::int AS count FROM domain_certificate_groups g
     JOIN services s ON s.organization_id = g.organization_id AND s.id = g.service_id
    WHERE g.organization_id = $1 AND s.project_id = $2`,
);
/** A group without domains counts too, as an empty name: it may have a certificate and a distribution. */
const LIST_NAMES_OF_SERVICES = statement<{ serviceId: string; name: string }>(
  "domain_groups_list_names_of_services",
  `SELECT g.service_id AS "serviceId", coalesce(d.name, '') AS name FROM domain_certificate_groups g
     LEFT JOIN domains d ON d.organization_id = g.organization_id AND d.group_id = g.id
    WHERE g.organization_id = $1 AND g.service_id = ANY($2::text[]) ORDER BY g.service_id, d.name`,
);
/** `DELETING` is for good: what was read before the deletion does not undo it. */
const SET_GROUP_STATUS = statement(
  "domain_groups_set_status",
  `UPDATE domain_certificate_groups SET status = $3, is_deleting = ($3 = 'DELETING'), updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND status <> $3 AND NOT is_deleting`,
);
const PUT_OFF_REPLACEMENT = statement(
  "domain_groups_put_off_replacement",
  `UPDATE domain_certificate_groups SET replace_not_before = $3 WHERE organization_id = $1 AND id = $2`,
);
const DELETE_GROUP = statement(
  "domain_groups_delete",
  `DELETE FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2`,
);

const INSERT_DOMAIN = statement<Domain>(
  "domains_insert",
  `INSERT INTO domains (organization_id, id, group_id, svc_attachment_id, name, type, status)
   VALUES ($1, $2, $3, $4, $5, $6, 'PENDING') RETURNING ${DOMAIN}`,
);
const FIND_DOMAIN = statement<Domain>(
  "domains_find",
  `SELECT ${DOMAIN} FROM domains WHERE organization_id = $1 AND id = $2`,
);
const FIND_TAKEN = statement<{ name: string; groupId: string }>(
  "domains_find_taken",
  `SELECT name, group_id AS "groupId" FROM domains WHERE organization_id = $1 AND name = ANY($2::text[]) ORDER BY name`,
);
const LIST_DOMAINS = statement<Domain>(
  "domains_list",
  `SELECT ${DOMAIN} FROM domains
    WHERE organization_id = $1 AND group_id = $2 AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $4`,
);
/** With its records, for they are always shown together and a round trip costs more than all else. */
const WITH_RECORDS = `${DOMAIN}, (SELECT coalesce(json_agg(r ORDER BY r.id), '[]') FROM (
    SELECT ${RECORD} FROM dns_records WHERE organization_id = domains.organization_id AND domain_id = domains.id) r) AS records`;
/** Also what the bench's bare server runs. */
export const FIND_DOMAIN_WITH_RECORDS = statement<Domain & { records: readonly RecordJson[] }>(
  "domains_find_with_records",
  `SELECT ${WITH_RECORDS} FROM domains WHERE organization_id = $1 AND id = $2`,
);
/** Also what the bench's bare server runs. */
export const LIST_DOMAINS_WITH_RECORDS = statement<Domain & { records: readonly RecordJson[] }>(
  "domains_list_with_records",
  `SELECT ${WITH_RECORDS} FROM domains
    WHERE organization_id = $1 AND group_id = $2 AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $4`,
);
const MOVE_DOMAIN = statement<{ id: string }>(
  "domains_move",
  `UPDATE domains SET status = $4, last_attachment_error = $5::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND status = $3
      AND (status <> $4 OR last_attachment_error IS DISTINCT FROM $5::jsonb) RETURNING id`,
);
const RESUME_DENIED = statement<{ id: string; groupId: string }>(
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
const UNWANT_DOMAIN = statement<Domain>(
  "domains_unwant",
  `UPDATE domains SET is_wanted = false, status = 'DETACHING', last_attachment_error = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${DOMAIN}`,
);
const DELETE_DOMAIN = statement(
  "domains_delete",
  `DELETE FROM domains WHERE organization_id = $1 AND id = $2`,
);

const INSERT_CERTIFICATE = statement(
  "certificates_insert",
  `INSERT INTO certificates (organization_id, id, group_id, names, status) VALUES ($1, $2, $3, $4, 'REQUESTING')`,
);
const LIST_CERTIFICATES = statement<Certificate>(
  "certificates_list",
  `SELECT ${CERTIFICATE} FROM certificates WHERE organization_id = $1 AND group_id = $2 ORDER BY id`,
);
const LIST_CERTIFICATES_OF_GROUPS = statement<Certificate>(
  "certificates_list_of_groups",
  `SELECT ${CERTIFICATE} FROM certificates WHERE organization_id = $1 AND group_id = ANY($2::text[]) ORDER BY id`,
);
const MARK_REQUESTED = statement<{ startedBefore: Date | null }>(
  "certificates_mark_requested",
  `UPDATE certificates c SET requested_at = coalesce(c.requested_at, $3), request_started_at = $3
     FROM certificates b
    WHERE c.organization_id = $1 AND c.id = $2 AND b.organization_id = $1 AND b.id = $2
   RETURNING b.request_started_at AS "startedBefore"`,
);
/** A request is known to have failed; by whoever made it, whatever others did meanwhile. */
const END_REQUEST = statement(
  "certificates_end_request",
  `UPDATE certificates SET request_started_at = $4
    WHERE organization_id = $1 AND id = $2 AND request_started_at = $3`,
);
const RECORD_REQUESTED = statement<{ id: string }>(
  "certificates_record_requested",
  `UPDATE certificates SET provider_id = $3, status = 'PENDING_VALIDATION', requested_at = $4, validation_deadline_at = $5,
      request_started_at = CASE WHEN request_started_at = $4 THEN $6 ELSE request_started_at END
    WHERE organization_id = $1 AND id = $2 RETURNING id`,
);
const INSERT_STRAY_CERTIFICATE = statement<{ id: string }>(
  "certificates_insert_stray",
  `INSERT INTO certificates (organization_id, id, group_id, names, status, provider_id, is_abandoned)
   SELECT g.organization_id, $3, g.id, $4, 'PENDING_VALIDATION', $5, true
     FROM domain_certificate_groups g WHERE g.organization_id = $1 AND g.id = $2 RETURNING id`,
);
const RECORD_SEEN = statement(
  "certificates_record_seen",
  `UPDATE certificates SET status = $3, issued_at = $4, expires_at = $5, renewal_status = $6
    WHERE organization_id = $1 AND id = $2`,
);
const ABANDON_CERTIFICATE = statement(
  "certificates_abandon",
  `UPDATE certificates SET is_abandoned = true WHERE organization_id = $1 AND id = $2`,
);
const DELETE_CERTIFICATE = statement(
  "certificates_delete",
  `DELETE FROM certificates WHERE organization_id = $1 AND id = $2`,
);

const PUT_RECORD = statement<{ id: string }>(
  "dns_records_put",
  `INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status)
   VALUES ($1, $2, $3, $4, $5, $6, $7, 'PENDING')
   ON CONFLICT (organization_id, domain_id, purpose) DO UPDATE
      SET type = excluded.type, name = excluded.name, value = excluded.value, status = 'PENDING', since = now(),
          last_check_at = NULL, last_check_value = NULL, last_check_error = NULL, last_ok_at = NULL, next_check_at = now()
    WHERE (dns_records.type, dns_records.name, dns_records.value) <> (excluded.type, excluded.name, excluded.value)
   RETURNING id`,
);
const DELETE_RECORD = statement(
  "dns_records_delete",
  `DELETE FROM dns_records WHERE organization_id = $1 AND domain_id = $2 AND purpose = $3`,
);
const LIST_RECORDS = statement<DnsRecord>(
  "dns_records_list",
  `SELECT ${RECORD} FROM dns_records WHERE organization_id = $1 AND domain_id = ANY($2::text[]) ORDER BY id`,
);
export type DueRecord = DnsRecord & {
  readonly domainName: string;
  readonly groupId: string;
  /** Since it came into its status. */
  readonly youngSeconds: number;
};
/** What is due and no other worker is just putting off. */
const LOCK_DUE_RECORDS = statement<DueRecord>(
  "dns_records_lock_due",
  `SELECT r.organization_id AS "organizationId", r.id, r.domain_id AS "domainId", r.purpose, r.type, r.name, r.value, r.status,
     r.last_check_at AS "lastCheckAt", r.last_check_value AS "lastCheckValue", r.last_check_error AS "lastCheckError",
     r.last_ok_at AS "lastOkAt", d.name AS "domainName", d.group_id AS "groupId", extract(epoch FROM now() - r.since)::float8 AS "youngSeconds"
     FROM dns_records r JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.next_check_at <= now() ORDER BY r.next_check_at LIMIT $1 FOR UPDATE OF r SKIP LOCKED`,
);
const PUT_OFF_RECORDS = statement(
  "dns_records_put_off",
  `UPDATE dns_records r SET next_check_at = now() + given.again_seconds * interval '1 second'
     FROM unnest($1::text[], $2::text[], $3::float8[]) AS given(organization_id, id, again_seconds)
    WHERE r.organization_id = given.organization_id AND r.id = given.id`,
);
const RECORD_CHECK = statement(
  "dns_records_record_check",
  `UPDATE dns_records SET last_check_at = $3, last_check_value = $4, last_check_error = $5::jsonb,
      since = CASE WHEN status <> $6 THEN now() ELSE since END, status = $6,
      last_ok_at = CASE WHEN $6 = 'OK' THEN $3 ELSE last_ok_at END,
      next_check_at = now() + $7::float8 * interval '1 second'
    WHERE organization_id = $1 AND id = $2 AND name = $8 AND value = $9 AND status = $10`,
);
/**
 * Of many records that stay in their status, in one statement: nearly all looks are so. When the next look is due was
 * written when this one was taken, so that no index has to be told of this.
 */
const RECORD_LOOKS = statement(
  "dns_records_record_looks",
  `UPDATE dns_records r SET last_check_at = $1, last_check_value = given.found, last_check_error = given.error::jsonb,
      last_ok_at = CASE WHEN r.status = 'OK' THEN $1 ELSE r.last_ok_at END
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       AS given(organization_id, id, name, value, status, found, error)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.name = given.name AND r.value = given.value
      AND r.status = given.status`,
);
const CHECK_NOW = statement(
  "dns_records_check_now",
  `UPDATE dns_records SET next_check_at = now() WHERE organization_id = $1 AND domain_id = $2`,
);

const LOCK_PARENT = statement(
  "proven_names_lock_parent",
  `SELECT pg_advisory_xact_lock(hashtextextended($1, 26137))`,
);
/**
 * Names are global, so this one statement looks beyond the organization; it tells only whether the name is
 * ours. A row that is ours already is taken over by the domain that claims it.
 */
const CLAIM_NAME = statement<{ name: string }>(
  "proven_names_claim",
  `INSERT INTO proven_names (name, organization_id, domain_id)
   SELECT $1, $2, $3 WHERE NOT EXISTS (
     SELECT 1 FROM proven_names p
      WHERE p.organization_id <> $2 AND p.parent = $4 AND (p.name = $1 OR p.name = '*.' || $4 OR $1 = '*.' || $4))
   ON CONFLICT (name) DO UPDATE SET domain_id = excluded.domain_id
    WHERE proven_names.organization_id = excluded.organization_id
   RETURNING name`,
);

export const groups = {
  insert: async (
    sql: Sql,
    group: Pick<Group, "organizationId" | "id" | "serviceId" | "distributionId" | "name" | "isDefaultCdn">,
  ) =>
    (
      await sql.query(INSERT_GROUP, [
        group.organizationId,
        group.id,
        group.serviceId,
        group.distributionId,
        group.name,
        group.isDefaultCdn,
      ])
    )[0],
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_GROUP, [organizationId, id]))[0] ?? null,
  /** Makes changes to one group wait for each other. */
  lock: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(LOCK_GROUP, [organizationId, id]))[0] ?? null,
  /** The same, for who knows the group already. */
  hold: (tx: Transaction, organizationId: string, id: string) => tx.send(LOCK_GROUP, [organizationId, id]),
  list: (sql: Sql, organizationId: string, serviceId: string, page: Page) =>
    sql.query(LIST_GROUPS, [organizationId, serviceId, page.after, page.limit + 1]),
  listOfDistribution: (sql: Sql, organizationId: string, distributionId: string) =>
    sql.query(LIST_GROUPS_OF_DISTRIBUTION, [organizationId, distributionId]),
  countOfProject: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(COUNT_GROUPS_OF_PROJECT, [organizationId, projectId]))[0]?.count ?? 0,
  listNamesOfServices: (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    sql.query(LIST_NAMES_OF_SERVICES, [organizationId, serviceIds]),
  setStatus: async (sql: Sql, organizationId: string, id: string, status: GroupStatus) =>
    void (await sql.query(SET_GROUP_STATUS, [organizationId, id, status])),
  putOffReplacement: async (sql: Sql, { organizationId, id }: Group, until: Date) =>
    void (await sql.query(PUT_OFF_REPLACEMENT, [organizationId, id, until])),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(DELETE_GROUP, [organizationId, id])),
};

export const domains = {
  insert: async (
    sql: Sql,
    domain: Pick<Domain, "organizationId" | "id" | "groupId" | "svcAttachmentId" | "name" | "type">,
  ) =>
    (
      await sql.query(INSERT_DOMAIN, [
        domain.organizationId,
        domain.id,
        domain.groupId,
        domain.svcAttachmentId,
        domain.name,
        domain.type,
      ])
    )[0],
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_DOMAIN, [organizationId, id]))[0] ?? null,
  findTaken: (sql: Sql, organizationId: string, names: readonly string[]) =>
    sql.query(FIND_TAKEN, [organizationId, names]),
  findWithRecords: async (sql: Sql, organizationId: string, id: string) => {
    const [row] = await sql.query(FIND_DOMAIN_WITH_RECORDS, [organizationId, id]);
    return row === undefined ? null : readRecords(row);
  },
  listWithRecords: async (sql: Sql, organizationId: string, groupId: string, page: Page) => {
    const rows = await sql.query(LIST_DOMAINS_WITH_RECORDS, [
      organizationId,
      groupId,
      page.after,
      page.limit + 1,
    ]);
    return rows.map(readRecords);
  },
  /** All domains of a group; a group holds some hundreds at most. */
  listAll: (sql: Sql, organizationId: string, groupId: string) =>
    sql.query(LIST_DOMAINS, [organizationId, groupId, null, 10_000]),
  /** From the status that was read; false when it has another one by now, or nothing changes. */
  move: async (
    sql: Sql,
    domain: Pick<Domain, "organizationId" | "id" | "status">,
    status: DomainStatus,
    error: AttachmentError | null,
  ) => {
    const { organizationId, id } = domain;
    const json = error === null ? null : JSON.stringify(error);
    return (await sql.query(MOVE_DOMAIN, [organizationId, id, domain.status, status, json])).length > 0;
  },
  /** Takes up again those of an account that failed for want of access. */
  resumeDenied: (sql: Sql, organizationId: string, awsAccountId: string) =>
    sql.query(RESUME_DENIED, [organizationId, awsAccountId]),
  unwant: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(UNWANT_DOMAIN, [organizationId, id]))[0] ?? null,
  delete: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(DELETE_DOMAIN, [organizationId, id])),
};

export const certificates = {
  insert: async (sql: Sql, certificate: Pick<Certificate, "organizationId" | "id" | "groupId" | "names">) =>
    void (await sql.query(INSERT_CERTIFICATE, [
      certificate.organizationId,
      certificate.id,
      certificate.groupId,
      certificate.names,
    ])),
  list: (sql: Sql, organizationId: string, groupId: string) =>
    sql.query(LIST_CERTIFICATES, [organizationId, groupId]),
  listOfGroups: (sql: Sql, organizationId: string, groupIds: readonly string[]) =>
    sql.query(LIST_CERTIFICATES_OF_GROUPS, [organizationId, groupIds]),
  /**
   * Before a request: from now on the provider may have it.
   * @returns when an earlier one began of which nobody knows the end
   */
  markRequested: async (sql: Sql, { organizationId, id }: Certificate, at: Date): Promise<Date | null> =>
    (await sql.query(MARK_REQUESTED, [organizationId, id, at]))[0]?.startedBefore ?? null,
  /** @param startedBefore of an earlier one, of which nobody knows the end still */
  endRequest: async (
    sql: Sql,
    { organizationId, id }: Certificate,
    startedAt: Date,
    startedBefore: Date | null,
  ) => void (await sql.query(END_REQUEST, [organizationId, id, startedAt, startedBefore])),
  /** Its end too. @returns false when there is no such row any more */
  recordRequested: async (
    sql: Sql,
    { organizationId, id }: Certificate,
    request: {
      readonly providerId: string;
      readonly requestedAt: Date;
      readonly deadlineAt: Date;
      readonly startedBefore: Date | null;
    },
  ): Promise<boolean> => {
    const { providerId, requestedAt, deadlineAt, startedBefore } = request;
    const values = [organizationId, id, providerId, requestedAt, deadlineAt, startedBefore];
    return (await sql.query(RECORD_REQUESTED, values)).length > 0;
  },
  /** One that is to be deleted, of a request whose row is gone. @returns false when the group is gone too */
  insertStray: async (
    sql: Sql,
    { organizationId, groupId, id, names }: Certificate,
    providerId: string,
  ): Promise<boolean> =>
    (await sql.query(INSERT_STRAY_CERTIFICATE, [organizationId, groupId, id, names, providerId])).length > 0,
  recordSeen: async (sql: Sql, { organizationId, id }: Certificate, seen: CertificateSeen) =>
    void (await sql.query(RECORD_SEEN, [
      organizationId,
      id,
      seen.status,
      seen.issuedAt,
      seen.expiresAt,
      seen.renewalStatus,
    ])),
  abandon: async (sql: Sql, { organizationId, id }: Certificate) =>
    void (await sql.query(ABANDON_CERTIFICATE, [organizationId, id])),
  delete: async (sql: Sql, { organizationId, id }: Certificate) =>
    void (await sql.query(DELETE_CERTIFICATE, [organizationId, id])),
};

export const dnsRecords = {
  /** Keeps what a check found while the record stays the same; false when it does. */
  put: async (
    sql: Sql,
    record: Pick<DnsRecord, "organizationId" | "id" | "domainId" | "purpose" | "type" | "name" | "value">,
  ) => {
    const { organizationId, id, domainId, purpose, type, name, value } = record;
    const written = await sql.query(PUT_RECORD, [organizationId, id, domainId, purpose, type, name, value]);
    return written.length > 0;
  },
  delete: async (sql: Sql, organizationId: string, domainId: string, purpose: DnsRecord["purpose"]) =>
    void (await sql.query(DELETE_RECORD, [organizationId, domainId, purpose])),
  list: (sql: Sql, organizationId: string, domainIds: readonly string[]) =>
    sql.query(LIST_RECORDS, [organizationId, domainIds]),
  /** Until the transaction ends, nobody else takes them. */
  lockDue: (tx: Transaction, limit: number) => tx.query(LOCK_DUE_RECORDS, [limit]),
  putOff: async (
    tx: Transaction,
    records: readonly { readonly record: DnsRecord; readonly againSeconds: number }[],
  ) =>
    void (await tx.query(PUT_OFF_RECORDS, [
      records.map(({ record }) => record.organizationId),
      records.map(({ record }) => record.id),
      records.map(({ againSeconds }) => againSeconds),
    ])),
  recordCheck: async (
    sql: Sql,
    record: DnsRecord,
    check: {
      at: Date;
      value: string | null;
      error: object;
      status: DnsRecord["status"];
      againSeconds: number;
    },
  ) =>
    void (await sql.query(RECORD_CHECK, [
      record.organizationId,
      record.id,
      check.at,
      check.value,
      JSON.stringify(check.error),
      check.status,
      check.againSeconds,
      record.name,
      record.value,
      record.status,
    ])),
  recordLooks: async (
    sql: Sql,
    at: Date,
    looks: readonly {
      readonly record: DnsRecord;
      readonly value: string | null;
      readonly error: object;
    }[],
  ) =>
    void (await sql.query(RECORD_LOOKS, [
      at,
      looks.map(({ record }) => record.organizationId),
      looks.map(({ record }) => record.id),
      looks.map(({ record }) => record.name),
      looks.map(({ record }) => record.value),
      looks.map(({ record }) => record.status),
      looks.map(({ value }) => value),
      looks.map(({ error }) => JSON.stringify(error)),
    ])),
  checkNow: async (sql: Sql, organizationId: string, domainId: string) =>
    void (await sql.query(CHECK_NOW, [organizationId, domainId])),
};

export const provenNames = {
  /** Until the transaction ends, nobody else claims a name right below this one. */
  lockParent: async (tx: Transaction, parent: string) => void (await tx.query(LOCK_PARENT, [parent])),
  /** False when it, or a name that overlaps it, belongs to another organization. */
  claim: async (
    tx: Transaction,
    { name, organizationId, id }: Pick<Domain, "organizationId" | "id" | "name">,
  ) => {
    const parent = name.slice(name.indexOf(".") + 1);
    return (await tx.query(CLAIM_NAME, [name, organizationId, id, parent])).length > 0;
  },
};
