/** The DNS records that domains need, and the results of their checks. */
import {
  readAsOwner,
  readStatement,
  type Sql,
  type Then,
  type Transaction,
  writeStatement,
} from "../../../db/database.ts";
import { insertEvents, type OutboxParameters } from "../../events/outbox.ts";
import { idBefore, type Page, pagedStatement } from "../../../db/page.ts";
import type { DnsRecord, Domain, ListedRecord } from "../custom-domain.ts";
import type { Share } from "./look-shares.ts";
import { type Cycle, HOUR_MS, stretchesOf } from "./turns.ts";

/** The columns of a record, with their names in `DnsRecord`. */
export const RECORD = `organization_id AS "organizationId", id, domain_id AS "domainId", purpose, type, name, value, status, since,
  last_check_at AS "lastCheckAt", last_check_value AS "lastCheckValue", last_check_error AS "lastCheckError",
  last_ok_at AS "lastOkAt", ${turnOf("id")} AS turn`;

/** The place of a record in the hour (`turns.ts`), in ms. There is an index of this expression. */
function turnOf(id: string): string {
  return `(hashtext(${id}) & 2147483647) % ${HOUR_MS}`;
}

/** Does nothing for a domain that was deleted meanwhile. */
const PUT_RECORD = writeStatement<{ id: string }>(
  "dns_records_put",
  `WITH changed AS (
     INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status)
     SELECT organization_id, $2, id, $4, $5, $6, $7, 'PENDING' FROM domains
      WHERE organization_id = $1 AND id = $3 FOR KEY SHARE
     ON CONFLICT (organization_id, domain_id, purpose) DO UPDATE
        SET type = excluded.type, name = excluded.name, value = excluded.value, status = 'PENDING',
            since = excluded.since, last_check_at = NULL, last_check_value = NULL, last_check_error = NULL,
            last_ok_at = NULL, next_check_at = excluded.next_check_at, look_at = excluded.look_at
      WHERE (dns_records.type, dns_records.name, dns_records.value) <> (excluded.type, excluded.name, excluded.value)
     RETURNING id),
   outbox AS (${insertEvents(8, "changed")})
   SELECT id FROM changed`,
);
/** Only while it is as it was checked. */
const DELETE_RECORD = writeStatement(
  "dns_records_delete",
  `WITH changed AS (
     DELETE FROM dns_records WHERE organization_id = $1 AND id = $2 AND name = $3 AND value = $4 AND status = $5
     RETURNING id),
   outbox AS (${insertEvents(6, "changed")})
   SELECT id FROM outbox`,
);
/** `since` dates it, so that a check that is under way does not count either. */
const FORGET_MISS = writeStatement(
  "dns_records_forget_miss",
  `UPDATE dns_records SET last_check_at = NULL, last_check_value = NULL, last_check_error = NULL, since = now(),
      look_at = now()
    WHERE organization_id = $1 AND domain_id = $2 AND purpose = 'CERTIFICATE_DOMAIN_VERIFICATION'
      AND status = 'PENDING' AND last_ok_at IS NULL`,
);
const LIST_RECORDS = readStatement<DnsRecord>(
  "dns_records_list",
  `SELECT ${RECORD} FROM dns_records WHERE organization_id = $1 AND domain_id = ANY($2::text[]) ORDER BY id`,
);
/** Those of a project's domains that their owners can set: found by their groups, because a project may have few of many domains. */
const LIST_RECORDS_OF_PROJECT = pagedStatement<ListedRecord>(
  "dns_records_list_of_project",
  (after, direction) => `WITH grouped AS MATERIALIZED (
      SELECT d.id, d.name, d.status, d.delegation, d.zone_state FROM services s
        JOIN domain_certificate_groups g ON g.organization_id = $1 AND g.service_id = s.id
        JOIN domains d ON d.organization_id = $1 AND d.group_id = g.id
       WHERE s.organization_id = $1 AND s.project_id = $2)
    SELECT r.*, grouped.name AS domain, grouped.delegation, grouped.zone_state AS "zoneState",
        grouped.status AS "domainStatus", EXISTS (
          SELECT 1 FROM dns_records c WHERE c.organization_id = $1 AND c.domain_id = grouped.id AND c.value = ''
             AND c.status = 'PENDING' AND grouped.name <> c.name AND NOT starts_with(reverse(grouped.name), reverse('.' || c.name))
        ) AS "isMoveFirst" FROM (
        SELECT ${RECORD} FROM dns_records WHERE organization_id = $1 AND value <> ''
           AND domain_id IN (SELECT grouped.id FROM grouped) AND id ${after} $3) r
      JOIN grouped ON grouped.id = r."domainId" ORDER BY r.id ${direction} LIMIT $4`,
);
export type DueRecord = DnsRecord & {
  readonly domainName: string;
  readonly domainType: Domain["type"];
  readonly domainStatus: Domain["status"];
  readonly groupId: string;
  readonly delegation: Domain["delegation"];
  readonly isApexRefused: boolean;
  /** A client asked for a check now. */
  readonly isAsked: boolean;
};
const DUE = `r.organization_id AS "organizationId", r.id, r.domain_id AS "domainId", r.purpose, r.type, r.name, r.value,
  r.status, r.since, r.last_check_at AS "lastCheckAt", r.last_check_value AS "lastCheckValue",
  r.last_check_error AS "lastCheckError", r.last_ok_at AS "lastOkAt", ${turnOf("r.id")} AS turn, d.name AS "domainName",
  d.type AS "domainType", d.status AS "domainStatus", d.group_id AS "groupId", d.delegation,
  d.is_apex_refused AS "isApexRefused", coalesce(r.look_at = '-infinity', false) AS "isAsked"`;

/** Of one worker's share, what comes up in a stretch of a cycle; few have these statuses and ages. */
const LIST_COMING_UP = readAsOwner<DueRecord>(
  "dns_records_list_coming_up",
  `SELECT ${DUE} FROM dns_records r JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.status = $1 AND r.since > $2 AND r.since <= $3
      AND (${turnOf("r.id")} + $4) % $5 < $6 AND ${turnOf("r.id")} % $7 = $8`,
);
/** The same where the cycle is long and there are many: by their place in the hour. */
const LIST_COMING_UP_BY_TURN = readAsOwner<DueRecord>(
  "dns_records_list_coming_up_by_turn",
  `SELECT ${DUE} FROM unnest($3::int[], $4::int[]) AS wanted(first, ending)
     JOIN dns_records r ON r.status = $1 AND ${turnOf("r.id")} >= wanted.first AND ${turnOf("r.id")} < wanted.ending
     JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.since <= $2 AND ${turnOf("r.id")} % $5 = $6`,
);
const LIST_ASKED = readAsOwner<DueRecord>(
  "dns_records_list_asked",
  `SELECT ${DUE} FROM dns_records r JOIN domains d ON d.organization_id = r.organization_id AND d.id = r.domain_id
    WHERE r.look_at <= now() ORDER BY r.look_at LIMIT $1`,
);
/** Only what it returns is the caller's: another worker may have been sooner. */
const TAKE_ASKED = writeStatement<{ id: string }>(
  "dns_records_take_asked",
  `UPDATE dns_records r SET look_at = NULL FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.look_at <= now() RETURNING r.id`,
);
/** What the domain of a record is now. */
const FIND_DOMAIN_OF_RECORD = readStatement<
  Pick<Domain, "status" | "delegation" | "isApexRefused" | "zoneState"> & { serviceId: string }
>(
  "dns_records_find_domain",
  `SELECT d.status, d.delegation, d.is_apex_refused AS "isApexRefused", d.zone_state AS "zoneState", g.service_id AS "serviceId" FROM domains d
     JOIN domain_certificate_groups g ON g.organization_id = d.organization_id AND g.id = d.group_id
    WHERE d.organization_id = $1 AND d.id = $2`,
);
/** A result that keeps the status counts only after the result that was read: of two workers, one raises a warning. */
const RECORD_CHECK = writeStatement<{ id: string }>(
  "dns_records_record_check",
  `WITH changed AS (UPDATE dns_records SET last_check_at = $3, last_check_value = $4, last_check_error = $5::jsonb,
      since = CASE WHEN status <> $6 THEN $3 ELSE since END, status = $6,
      last_ok_at = CASE WHEN $6 = 'OK' THEN $3 ELSE last_ok_at END, look_at = $7
    WHERE organization_id = $1 AND id = $2 AND name = $8 AND value = $9 AND status = $10 AND type = $11
      AND (status <> $6 OR last_check_error IS NOT DISTINCT FROM $12::jsonb)
    RETURNING id),
   outbox AS (${insertEvents(13, "changed")})
   SELECT id FROM changed`,
);
/** Only if it is as it was read: another look may have been sooner. */
const RECORD_DELEGATION = writeStatement<{ id: string }>(
  "domains_record_delegation",
  `WITH changed AS (
     UPDATE domains SET delegation = $3::jsonb, is_apex_refused = $4
      WHERE organization_id = $1 AND id = $2 AND delegation IS NOT DISTINCT FROM $5::jsonb AND is_apex_refused = $6
     RETURNING id),
   outbox AS (${insertEvents(7, "changed")})
   SELECT id FROM changed`,
);
/** Writes new results of many records that keep their status, in one statement. */
const RECORD_LOOKS = writeStatement(
  "dns_records_record_looks",
  `UPDATE dns_records r SET last_check_at = $1, last_check_value = given.found, last_check_error = given.error::jsonb,
      last_ok_at = CASE WHEN r.status = 'OK' THEN $1 ELSE r.last_ok_at END
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
        $9::text[], $10::text[])
       AS given(organization_id, id, name, value, status, type, since_end, found, error)
    WHERE r.organization_id = given.organization_id AND r.id = given.id AND r.name = given.name AND r.value = given.value
      AND r.status = given.status AND r.type = given.type AND r.since < given.since_end`,
);
/** Puts a record before all that are only due. */
const CHECK_NOW = writeStatement(
  "dns_records_check_now",
  `UPDATE dns_records SET look_at = '-infinity', next_check_at = '-infinity' WHERE organization_id = $1 AND domain_id = $2`,
);

/** The records as they were checked, as a list for each column: a result counts only while its record is the same. */
function keysOfChecks(
  checks: readonly { readonly record: DnsRecord }[],
): readonly (readonly (string | Date)[])[] {
  const records = checks.map(({ record }) => record);
  return [
    records.map(({ organizationId }) => organizationId),
    records.map(({ id }) => id),
    records.map(({ name }) => name),
    records.map(({ value }) => value),
    records.map(({ status }) => status),
    records.map(({ type }) => type),
    // It has microseconds, of which the milliseconds were read.
    records.map(({ since }) => new Date(since.getTime() + 1)),
  ];
}

export const dnsRecords = {
  /** One page of the records that a project's domains need, and one more. */
  listOfProject: (sql: Sql, organizationId: string, projectId: string, page: Page) =>
    sql.query(LIST_RECORDS_OF_PROJECT[page.order], [
      organizationId,
      projectId,
      idBefore(page),
      page.limit + 1,
    ]),
  /**
   * Writes a record; a check's result stays while the record is the same. No row comes when it is, or when its domain was
   * deleted.
   */
  put: (
    tx: Transaction,
    record: Pick<DnsRecord, "organizationId" | "id" | "domainId" | "purpose" | "type" | "name" | "value">,
    told: OutboxParameters,
    then?: Then<{ id: string }>,
  ) => {
    const { organizationId, id, domainId, purpose, type, name, value } = record;
    tx.send(PUT_RECORD, [organizationId, id, domainId, purpose, type, name, value, ...told], then);
  },
  delete: async (sql: Sql, { organizationId, id, name, value, status }: DnsRecord, told: OutboxParameters) =>
    void (await sql.query(DELETE_RECORD, [organizationId, id, name, value, status, ...told])),
  /** Forgets that the verification record of a domain was missing, if it was never found, and has it checked soon. */
  forgetMiss: (tx: Transaction, { organizationId, id }: Pick<Domain, "organizationId" | "id">) =>
    tx.send(FORGET_MISS, [organizationId, id]),
  list: (sql: Sql, organizationId: string, domainIds: readonly string[]) =>
    sql.query(LIST_RECORDS, [organizationId, domainIds]),
  /** The records of a worker's share that come up from one time until before another. */
  listComingUp: async (sql: Sql, cycle: Cycle, fromMs: number, toMs: number, { index, count }: Share) => {
    const { status, fromAgeMs, toAgeMs, everyMs } = cycle;
    const bornAfter = new Date(toAgeMs === Infinity ? 0 : fromMs - toAgeMs);
    const bornUntil = new Date(fromMs - fromAgeMs);
    if (toAgeMs === Infinity) {
      const stretches = stretchesOf(fromMs, toMs, everyMs);
      const values = [stretches.map(([first]) => first), stretches.map(([, ending]) => ending), count, index];
      return await sql.query(LIST_COMING_UP_BY_TURN, [status, bornUntil, ...values]);
    }
    const offset = everyMs - (fromMs % everyMs);
    const values = [status, bornAfter, bornUntil, offset, everyMs, toMs - fromMs, count, index];
    return await sql.query(LIST_COMING_UP, values);
  },
  /** The records for which a look out of turn is due, the most urgent first. */
  listAsked: (sql: Sql, limit: number) => sql.query(LIST_ASKED, [limit]),
  /** @returns the ids of the records that this caller took */
  takeAsked: async (sql: Sql, records: readonly DnsRecord[]) =>
    (
      await sql.query(TAKE_ASKED, [
        records.map(({ organizationId }) => organizationId),
        records.map(({ id }) => id),
      ])
    ).map(({ id }) => id),
  /** Null if the domain was deleted. */
  findDomain: async (
    sql: Sql,
    { organizationId, domainId }: Pick<DnsRecord, "organizationId" | "domainId">,
  ) => (await sql.query(FIND_DOMAIN_OF_RECORD, [organizationId, domainId]))[0] ?? null,
  recordCheck: async (
    sql: Sql,
    record: DnsRecord,
    check: {
      at: Date;
      value: string | null;
      error: object;
      status: DnsRecord["status"];
      /** When to look again, out of turn. */
      lookAt: Date | null;
    },
    told: OutboxParameters,
  ) =>
    void (await sql.query(RECORD_CHECK, [
      record.organizationId,
      record.id,
      check.at,
      check.value,
      JSON.stringify(check.error),
      check.status,
      check.lookAt,
      record.name,
      record.value,
      record.status,
      record.type,
      record.lastCheckError === null ? null : JSON.stringify(record.lastCheckError),
      ...told,
    ])),
  /** What a look found of a domain's zone. No row comes if another look has written meanwhile. */
  recordDelegation: (
    tx: Transaction,
    { organizationId, domainId }: Pick<DnsRecord, "organizationId" | "domainId">,
    before: Pick<Domain, "delegation" | "isApexRefused">,
    now: Pick<Domain, "delegation" | "isApexRefused">,
    told: OutboxParameters,
    then: Then<{ id: string }>,
  ) => {
    const json = ({ delegation }: Pick<Domain, "delegation">) =>
      delegation === null ? null : JSON.stringify(delegation);
    tx.send(
      RECORD_DELEGATION,
      [organizationId, domainId, json(now), now.isApexRefused, json(before), before.isApexRefused, ...told],
      then,
    );
  },
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
