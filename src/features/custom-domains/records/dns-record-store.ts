/** The DNS records that domains need. `dns-checks` writes the results of their checks. */
import { readStatement, type Sql, type Transaction, writeStatement } from "../../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../../db/page.ts";
import type { DnsRecord, Domain, ListedRecord } from "../custom-domain.ts";
import { recordColumns } from "./columns.ts";

/** Does nothing for a domain that was deleted meanwhile. */
const PUT_RECORD = writeStatement<{ id: string }>(
  "dns_records_put",
  `INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status)
   SELECT organization_id, $2, id, $4, $5, $6, $7, 'PENDING' FROM domains
    WHERE organization_id = $1 AND id = $3 FOR KEY SHARE
   ON CONFLICT (organization_id, domain_id, purpose) DO UPDATE
      SET type = excluded.type, name = excluded.name, value = excluded.value, status = 'PENDING',
          since = excluded.since, last_check_at = NULL, last_check_value = NULL, last_check_error = NULL,
          last_ok_at = NULL, next_check_at = excluded.next_check_at, look_at = excluded.look_at
    WHERE (dns_records.type, dns_records.name, dns_records.value) <> (excluded.type, excluded.name, excluded.value)
   RETURNING id`,
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
  `SELECT ${recordColumns()} FROM dns_records WHERE organization_id = $1 AND domain_id = ANY($2::text[]) ORDER BY id`,
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
        SELECT ${recordColumns()} FROM dns_records WHERE organization_id = $1 AND value <> ''
           AND domain_id IN (SELECT grouped.id FROM grouped) AND id ${after} $3) r
      JOIN grouped ON grouped.id = r."domainId" ORDER BY r.id ${direction} LIMIT $4`,
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
/** Only if it is as it was read: another check may have been sooner. */
const RECORD_DELEGATION = writeStatement<{ id: string }>(
  "domains_record_delegation",
  `UPDATE domains SET delegation = $3::jsonb, is_apex_refused = $4
    WHERE organization_id = $1 AND id = $2 AND delegation IS NOT DISTINCT FROM $5::jsonb AND is_apex_refused = $6
   RETURNING id`,
);
/** Puts a record before all records that are only due. */
const REQUEST_CHECK = writeStatement(
  "dns_records_request_check",
  `UPDATE dns_records SET look_at = '-infinity', next_check_at = '-infinity' WHERE organization_id = $1 AND domain_id = $2`,
);
/** The workers that check records (`dns-checks`) belong to no organization. */
const FIND_CHECKED_THROUGH = readStatement<{ checkedThrough: Date | null }>(
  "dns_lookers_find_checked_through",
  `SELECT min(looked_until) AS "checkedThrough" FROM dns_lookers`,
);

type OfDomain = Pick<DnsRecord, "organizationId" | "domainId">;

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
   * Writes a record; a check's result stays while the record is the same.
   * @returns whether it is new or changed; false also if its domain was deleted
   */
  put: async (
    tx: Transaction,
    record: Pick<DnsRecord, "organizationId" | "id" | "domainId" | "purpose" | "type" | "name" | "value">,
  ): Promise<boolean> => {
    const { organizationId, id, domainId, purpose, type, name, value } = record;
    return (
      (await tx.query(PUT_RECORD, [organizationId, id, domainId, purpose, type, name, value])).length > 0
    );
  },
  /** Forgets that the verification record of a domain was missing, if it was never found, and has it checked soon. */
  forgetMiss: (tx: Transaction, { organizationId, id }: Pick<Domain, "organizationId" | "id">) =>
    tx.send(FORGET_MISS, [organizationId, id]),
  list: (sql: Sql, organizationId: string, domainIds: readonly string[]) =>
    sql.query(LIST_RECORDS, [organizationId, domainIds]),
  /** Null if the domain was deleted. */
  findDomain: async (sql: Sql, { organizationId, domainId }: OfDomain) =>
    (await sql.query(FIND_DOMAIN_OF_RECORD, [organizationId, domainId]))[0] ?? null,
  /** What a check found of a domain's zone. @returns false if another check has written meanwhile */
  recordDelegation: async (
    tx: Transaction,
    { organizationId, domainId }: OfDomain,
    before: Pick<Domain, "delegation" | "isApexRefused">,
    now: Pick<Domain, "delegation" | "isApexRefused">,
  ): Promise<boolean> => {
    const [json, jsonBefore] = [now, before].map(({ delegation }) =>
      delegation === null ? null : JSON.stringify(delegation),
    );
    const values = [json ?? null, now.isApexRefused, jsonBefore ?? null, before.isApexRefused];
    return (await tx.query(RECORD_DELEGATION, [organizationId, domainId, ...values])).length > 0;
  },
  requestCheck: async (sql: Sql, organizationId: string, domainId: string) =>
    void (await sql.query(REQUEST_CHECK, [organizationId, domainId])),
  /** Up to when all checks were made; null if there never was a worker. */
  findCheckedThrough: async (sql: Sql) => (await sql.query(FIND_CHECKED_THROUGH))[0]?.checkedThrough ?? null,
};
