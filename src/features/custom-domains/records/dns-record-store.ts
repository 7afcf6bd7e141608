/** The DNS records that domains need, and the results of their checks. */
import {
  readStatement,
  type Sql,
  type Then,
  type Transaction,
  writeStatement,
} from "../../../db/database.ts";
import { insertEvents, type Told } from "../../events/told.ts";
import type { DnsRecord, DomainStatus } from "../custom-domain.ts";

/** The columns of a record, with their names in `DnsRecord`. */
export const RECORD = `organization_id AS "organizationId", id, domain_id AS "domainId", purpose, type, name, value, status, since,
  last_check_at AS "lastCheckAt", last_check_value AS "lastCheckValue", last_check_error AS "lastCheckError",
  last_ok_at AS "lastOkAt"`;

/** Does nothing for a domain that was deleted meanwhile. */
const PUT_RECORD = writeStatement<{ id: string }>(
  "dns_records_put",
  `WITH changed AS (
     INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status)
     SELECT organization_id, $2, id, $4, $5, $6, $7, 'PENDING' FROM domains
      WHERE organization_id = $1 AND id = $3 FOR KEY SHARE
     ON CONFLICT (organization_id, domain_id, purpose) DO UPDATE
        SET type = excluded.type, name = excluded.name, value = excluded.value, status = 'PENDING', since = excluded.since,
            last_check_at = NULL, last_check_value = NULL, last_check_error = NULL, last_ok_at = NULL,
            next_check_at = excluded.next_check_at
      WHERE (dns_records.type, dns_records.name, dns_records.value) <> (excluded.type, excluded.name, excluded.value)
     RETURNING id),
   told AS (${insertEvents(8, "changed")})
   SELECT id FROM changed`,
);
const DELETE_RECORD = writeStatement(
  "dns_records_delete",
  `DELETE FROM dns_records WHERE organization_id = $1 AND domain_id = $2 AND purpose = $3`,
);
const LIST_RECORDS = readStatement<DnsRecord>(
  "dns_records_list",
  `SELECT ${RECORD} FROM dns_records WHERE organization_id = $1 AND domain_id = ANY($2::text[]) ORDER BY id`,
);
export type DueRecord = DnsRecord & {
  readonly domainName: string;
  readonly groupId: string;
  /** How long it has had its status. */
  readonly youngSeconds: number;
  /** A client asked for a check now. */
  readonly isAsked: boolean;
};
const UNTIL_DUE = readStatement<{ ms: number }>(
  "dns_records_until_due",
  `SELECT (extract(epoch FROM next_check_at - now()) * 1000)::float8 AS ms
     FROM dns_records ORDER BY next_check_at LIMIT 1`,
);
/** What the domain of a record is now. */
const FIND_DOMAIN_OF_RECORD = readStatement<{ status: DomainStatus; serviceId: string }>(
  "dns_records_find_domain",
  `SELECT d.status, g.service_id AS "serviceId" FROM domains d
     JOIN domain_certificate_groups g ON g.organization_id = d.organization_id AND g.id = d.group_id
    WHERE d.organization_id = $1 AND d.id = $2`,
);
/** Records that are due and not being taken by another worker. */
const LOCK_DUE_RECORDS = writeStatement<DueRecord>(
  "dns_records_lock_due",
  `SELECT r.organization_id AS "organizationId", r.id, r.domain_id AS "domainId", r.purpose, r.type, r.name, r.value, r.status, r.since,
     r.last_check_at AS "lastCheckAt", r.last_check_value AS "lastCheckValue", r.last_check_error AS "lastCheckError",
     r.last_ok_at AS "lastOkAt", d.name AS "domainName", d.group_id AS "groupId", extract(epoch FROM now() - r.since)::float8 AS "youngSeconds",
     r.next_check_at = '-infinity' AS "isAsked"
     FROM dns_records r JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.next_check_at <= now() ORDER BY r.next_check_at LIMIT $1 FOR UPDATE OF r SKIP LOCKED`,
);
/** Also writes the time of the last check, if that was postponed (`unchanged-checks.ts`). */
const PUT_OFF_RECORDS = writeStatement(
  "dns_records_put_off",
  `UPDATE dns_records r SET next_check_at = now() + given.again_seconds * interval '1 second',
      last_check_at = greatest(r.last_check_at, given.looked_at),
      last_ok_at = CASE WHEN r.status = 'OK' THEN greatest(r.last_ok_at, given.looked_at) ELSE r.last_ok_at END
     FROM unnest($1::text[], $2::text[], $3::float8[], $4::timestamptz[])
       AS given(organization_id, id, again_seconds, looked_at)
    WHERE r.organization_id = given.organization_id AND r.id = given.id`,
);
const RECORD_CHECK = writeStatement<{ id: string }>(
  "dns_records_record_check",
  `WITH changed AS (UPDATE dns_records SET last_check_at = $3, last_check_value = $4, last_check_error = $5::jsonb,
      since = CASE WHEN status <> $6 THEN (SELECT now()) ELSE since END, status = $6,
      last_ok_at = CASE WHEN $6 = 'OK' THEN $3 ELSE last_ok_at END,
      next_check_at = now() + $7::float8 * interval '1 second'
    WHERE organization_id = $1 AND id = $2 AND name = $8 AND value = $9 AND status = $10 RETURNING id),
   told AS (${insertEvents(11, "changed")})
   SELECT id FROM changed`,
);
/**
 * Writes new results of many records that keep their status, in one statement. The time of the next check was written
 * when the record was taken, so no index has to change.
 */
const RECORD_LOOKS = writeStatement(
  "dns_records_record_looks",
  `UPDATE dns_records r SET last_check_at = $1, last_check_value = given.found, last_check_error = given.error::jsonb,
      last_ok_at = CASE WHEN r.status = 'OK' THEN $1 ELSE r.last_ok_at END
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       AS given(organization_id, id, name, value, status, found, error)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.name = given.name AND r.value = given.value
      AND r.status = given.status`,
);
/** Writes only the time of checks without a new result, unless a later check has been written. */
const RECORD_UNCHANGED = writeStatement(
  "dns_records_record_unchanged",
  `UPDATE dns_records r SET last_check_at = greatest(r.last_check_at, given.looked_at),
      last_ok_at = CASE WHEN r.status = 'OK' THEN greatest(r.last_ok_at, given.looked_at) ELSE r.last_ok_at END
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
       AS given(organization_id, id, name, value, status, looked_at)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.name = given.name AND r.value = given.value
      AND r.status = given.status`,
);
/** Puts a record before all that are only due. */
const CHECK_NOW = writeStatement(
  "dns_records_check_now",
  `UPDATE dns_records SET next_check_at = '-infinity' WHERE organization_id = $1 AND domain_id = $2`,
);

/** The records as they were checked, as a list for each column: a result counts only while its record is the same. */
function keysOfChecks(checks: readonly { readonly record: DnsRecord }[]): readonly (readonly string[])[] {
  const records = checks.map(({ record }) => record);
  return [
    records.map(({ organizationId }) => organizationId),
    records.map(({ id }) => id),
    records.map(({ name }) => name),
    records.map(({ value }) => value),
    records.map(({ status }) => status),
  ];
}

export const dnsRecords = {
  /**
   * Writes a record; a check's result stays while the record is the same. No row comes when it is, or when its domain was
   * deleted.
   */
  put: (
    tx: Transaction,
    record: Pick<DnsRecord, "organizationId" | "id" | "domainId" | "purpose" | "type" | "name" | "value">,
    told: Told,
    then?: Then<{ id: string }>,
  ) => {
    const { organizationId, id, domainId, purpose, type, name, value } = record;
    tx.send(PUT_RECORD, [organizationId, id, domainId, purpose, type, name, value, ...told], then);
  },
  delete: async (sql: Sql, organizationId: string, domainId: string, purpose: DnsRecord["purpose"]) =>
    void (await sql.query(DELETE_RECORD, [organizationId, domainId, purpose])),
  list: (sql: Sql, organizationId: string, domainIds: readonly string[]) =>
    sql.query(LIST_RECORDS, [organizationId, domainIds]),
  /** How long until a record is due, in ms: below 0 if one is late, null if there is none. Takes no lock. */
  untilDueMs: async (sql: Sql) => (await sql.query(UNTIL_DUE))[0]?.ms ?? null,
  /** Locks the records that are due until the transaction ends. */
  lockDue: (tx: Transaction, limit: number) => tx.query(LOCK_DUE_RECORDS, [limit]),
  /** Null if the domain is gone. */
  findDomain: async (sql: Sql, { organizationId, domainId }: DnsRecord) =>
    (await sql.query(FIND_DOMAIN_OF_RECORD, [organizationId, domainId]))[0] ?? null,
  putOff: async (
    tx: Transaction,
    records: readonly {
      readonly record: DnsRecord;
      readonly againSeconds: number;
      /** The time of its last check, if that has not been written yet. */
      readonly checkedAt: Date | null;
    }[],
  ) =>
    void (await tx.query(PUT_OFF_RECORDS, [
      records.map(({ record }) => record.organizationId),
      records.map(({ record }) => record.id),
      records.map(({ againSeconds }) => againSeconds),
      records.map(({ checkedAt }) => checkedAt),
    ])),
  recordUnchanged: async (
    sql: Sql,
    checks: readonly { readonly record: DnsRecord; readonly checkedAt: Date }[],
  ) =>
    void (await sql.query(RECORD_UNCHANGED, [
      ...keysOfChecks(checks),
      checks.map(({ checkedAt }) => checkedAt),
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
    told: Told,
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
      ...told,
    ])),
  recordChecks: async (
    sql: Sql,
    at: Date,
    checks: readonly {
      readonly record: DnsRecord;
      readonly value: string | null;
      readonly error: object;
    }[],
  ) =>
    void (await sql.query(RECORD_LOOKS, [
      at,
      ...keysOfChecks(checks),
      checks.map(({ value }) => value),
      checks.map(({ error }) => JSON.stringify(error)),
    ])),
  checkNow: async (sql: Sql, organizationId: string, domainId: string) =>
    void (await sql.query(CHECK_NOW, [organizationId, domainId])),
};
