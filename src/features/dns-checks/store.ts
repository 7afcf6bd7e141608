/** Due records, the results of checks, and the workers that check (they belong to no organization). */
import { readAsOwner, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { DnsRecord, Domain } from "../custom-domains/custom-domain.ts";
import { type CheckInterval, dueSlots } from "../custom-domains/records/check-times.ts";
import { recordColumns, slotOf } from "../custom-domains/records/columns.ts";

export type DueRecord = DnsRecord & {
  readonly domainName: string;
  readonly domainType: Domain["type"];
  readonly domainStatus: Domain["status"];
  readonly groupId: string;
  readonly delegation: Domain["delegation"];
  readonly isApexRefused: boolean;
  /** A client requested a check now. */
  readonly isRequested: boolean;
};
const SLOT = slotOf("r.id");
const DUE = `${recordColumns("r.")}, d.name AS "domainName", d.type AS "domainType", d.status AS "domainStatus",
  d.group_id AS "groupId", d.delegation, d.is_apex_refused AS "isApexRefused",
  coalesce(r.look_at = '-infinity', false) AS "isRequested"`;

/** The records of a partition that are due in a time; few records have these statuses and ages. */
const LIST_DUE = readAsOwner<DueRecord>(
  "dns_records_list_due",
  `SELECT ${DUE} FROM dns_records r JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.status = $1 AND r.since > $2 AND r.since <= $3
      AND (${SLOT} + $4) % $5 < $6 AND ${SLOT} % $7 = $8`,
);
/** The same for an interval that is long and has many records: by their slots. */
const LIST_DUE_BY_SLOT = readAsOwner<DueRecord>(
  "dns_records_list_due_by_slot",
  `SELECT ${DUE} FROM unnest($3::int[], $4::int[]) AS due(first, ending)
     JOIN dns_records r ON r.status = $1 AND ${SLOT} >= due.first AND ${SLOT} < due.ending
     JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.since <= $2 AND ${SLOT} % $5 = $6`,
);
const LIST_REQUESTED = readAsOwner<DueRecord>(
  "dns_records_list_requested",
  `SELECT ${DUE} FROM dns_records r JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.look_at <= now() ORDER BY r.look_at LIMIT $1`,
);
/** Only the returned records are the caller's: another worker may have been sooner. */
const CLAIM_REQUESTED = writeStatement<{ id: string }>(
  "dns_records_claim_requested",
  `UPDATE dns_records r SET look_at = NULL FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.look_at <= now() RETURNING r.id`,
);
/** Only while it is as it was checked. */
const DELETE_RECORD = writeStatement<{ id: string }>(
  "dns_records_delete",
  `DELETE FROM dns_records WHERE organization_id = $1 AND id = $2 AND name = $3 AND value = $4 AND status = $5
   RETURNING id`,
);
/** A result that keeps the status counts only after the result that was read: of two workers, one raises a warning. */
const RECORD_CHANGE = writeStatement<{ id: string }>(
  "dns_records_record_change",
  `UPDATE dns_records SET last_check_at = $3, last_check_value = $4, last_check_error = $5::jsonb,
      since = CASE WHEN status <> $6 THEN $3 ELSE since END, status = $6,
      last_ok_at = CASE WHEN $6 = 'OK' THEN $3 ELSE last_ok_at END, look_at = $7
    WHERE organization_id = $1 AND id = $2 AND name = $8 AND value = $9 AND status = $10 AND type = $11
      AND (status <> $6 OR last_check_error IS NOT DISTINCT FROM $12::jsonb)
   RETURNING id`,
);
/** Writes new results of many records that keep their status, in one statement. */
const RECORD_CHECKS = writeStatement(
  "dns_records_record_checks",
  `UPDATE dns_records r SET last_check_at = $1, last_check_value = given.found, last_check_error = given.error::jsonb,
      last_ok_at = CASE WHEN r.status = 'OK' THEN $1 ELSE r.last_ok_at END
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
        $9::text[], $10::text[])
       AS given(organization_id, id, name, value, status, type, since_end, found, error)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.name = given.name AND r.value = given.value
      AND r.status = given.status AND r.type = given.type AND r.since < given.since_end`,
);

const LIST_WORKERS = writeStatement<CheckWorker>(
  "dns_lookers_list",
  `SELECT id, looked_until AS "checkedThrough", seen_at < now() - $1::float8 * interval '1 second' AS "hasStopped"
     FROM dns_lookers`,
);
const DELETE_WORKERS = writeStatement(
  "dns_lookers_delete",
  `DELETE FROM dns_lookers WHERE id = ANY ($1::text[])`,
);
const REPORT_WORKER = writeStatement(
  "dns_lookers_report",
  `INSERT INTO dns_lookers (id, looked_until) VALUES ($1, $2)
   ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, looked_until = excluded.looked_until`,
);

/** The records whose slot, divided by the number of workers, leaves this remainder. */
export type Partition = { readonly index: number; readonly count: number };

type CheckWorker = { readonly id: string; readonly checkedThrough: Date; readonly hasStopped: boolean };
type Result = { readonly record: DnsRecord; readonly value: string | null; readonly error: object };

export const checks = {
  /** The records of a partition that are due from one time until before another. */
  listDue: async (
    sql: Sql,
    { status, fromAgeMs, toAgeMs, everyMs }: CheckInterval,
    fromMs: number,
    toMs: number,
    { index, count }: Partition,
  ) => {
    const bornUntil = new Date(fromMs - fromAgeMs);
    if (toAgeMs === Infinity) {
      const slots = dueSlots(fromMs, toMs, everyMs);
      const values = [slots.map(([first]) => first), slots.map(([, end]) => end), count, index];
      return await sql.query(LIST_DUE_BY_SLOT, [status, bornUntil, ...values]);
    }
    const offset = everyMs - (fromMs % everyMs);
    const values = [new Date(fromMs - toAgeMs), bornUntil, offset, everyMs, toMs - fromMs, count, index];
    return await sql.query(LIST_DUE, [status, ...values]);
  },
  /** The records whose check was requested, the most urgent first. */
  listRequested: (sql: Sql, limit: number) => sql.query(LIST_REQUESTED, [limit]),
  /** @returns the ids of the records that this caller claimed */
  claimRequested: async (sql: Sql, records: readonly DnsRecord[]) => {
    const keys = [records.map(({ organizationId }) => organizationId), records.map(({ id }) => id)];
    return (await sql.query(CLAIM_REQUESTED, keys)).map(({ id }) => id);
  },
  /** @returns false if it has changed since the check */
  deleteRecord: async (tx: Transaction, { organizationId, id, name, value, status }: DnsRecord) =>
    (await tx.query(DELETE_RECORD, [organizationId, id, name, value, status])).length > 0,
  /** @param checkAt when to check again, besides its slots @returns false if it has changed since the check */
  recordChange: async (
    tx: Transaction,
    at: Date,
    { record, value, error }: Result,
    status: DnsRecord["status"],
    checkAt: Date | null,
  ) => {
    const found = [value, JSON.stringify(error), status, checkAt];
    const before = record.lastCheckError === null ? null : JSON.stringify(record.lastCheckError);
    const known = [record.name, record.value, record.status, record.type, before];
    return (
      (await tx.query(RECORD_CHANGE, [record.organizationId, record.id, at, ...found, ...known])).length > 0
    );
  },
  /** A result counts only while its record is as it was checked. */
  recordChecks: async (tx: Transaction, at: Date, results: readonly Result[]) => {
    const listOf = <T>(pick: (record: DnsRecord) => T): readonly T[] =>
      results.map(({ record }) => pick(record));
    await tx.query(RECORD_CHECKS, [
      at,
      listOf(({ organizationId }) => organizationId),
      listOf(({ id }) => id),
      listOf(({ name }) => name),
      listOf(({ value }) => value),
      listOf(({ status }) => status),
      listOf(({ type }) => type),
      // It has microseconds, of which the milliseconds were read.
      listOf(({ since }) => new Date(since.getTime() + 1)),
      results.map(({ value }) => value),
      results.map(({ error }) => JSON.stringify(error)),
    ]);
  },
  listWorkers: (tx: Transaction, stoppedAfterSeconds: number) =>
    tx.query(LIST_WORKERS, [stoppedAfterSeconds]),
  deleteWorkers: (tx: Transaction, stopped: readonly CheckWorker[]) =>
    tx.send(DELETE_WORKERS, [stopped.map(({ id }) => id)]),
  reportWorker: (tx: Transaction, id: string, checkedThrough: Date) =>
    tx.send(REPORT_WORKER, [id, checkedThrough]),
};
