/** Everything wanted of a group, read in one query at one moment. Each step starts with it. */
import { readStatement, type Sql } from "../../../db/database.ts";
import { type JsonRow, readJsonRow } from "../../../db/json-rows.ts";
import { CERTIFICATE } from "./certificate/certificate-store.ts";
import type { Certificate, DnsRecord, Domain, Group } from "../custom-domain.ts";
import { GROUP, readRecords, WITH_RECORDS, type WithRecordsAsJson } from "../store.ts";

/** A domain and the records that are shown for it. */
export type ShownDomain = Domain & { readonly records: readonly DnsRecord[] };

export type Wanted = {
  readonly group: Group;
  readonly domains: readonly ShownDomain[];
  /** Oldest first. */
  readonly certificates: readonly Certificate[];
};

type Row = Group & {
  readonly domains: readonly (JsonRow<Domain> & WithRecordsAsJson)[];
  readonly certificates: readonly JsonRow<Certificate>[];
};

const FIND_WANTED = readStatement<Row>(
  "domain_groups_find_wanted",
  `SELECT ${GROUP},
     (SELECT coalesce(json_agg(d ORDER BY d.id), '[]') FROM (SELECT ${WITH_RECORDS} FROM domains
        WHERE organization_id = $1 AND group_id = $2) d) AS domains,
     (SELECT coalesce(json_agg(c ORDER BY c.id), '[]') FROM (SELECT ${CERTIFICATE} FROM certificates
        WHERE organization_id = $1 AND group_id = $2) c) AS certificates
     FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2`,
);

export async function findWanted(sql: Sql, organizationId: string, id: string): Promise<Wanted | null> {
  const [row] = await sql.query(FIND_WANTED, [organizationId, id]);
  if (row === undefined) return null;
  const { domains, certificates, ...group } = row;
  return {
    group,
    domains: domains.map(({ records, ...domain }) => ({
      ...readJsonRow<Domain>(domain, ["createdAt", "updatedAt"]),
      records: readRecords({ records }),
    })),
    certificates: certificates.map((certificate) => readJsonRow(certificate, INSTANTS_OF_CERTIFICATE)),
  };
}

const INSTANTS_OF_CERTIFICATE = [
  "requestedAt",
  "requestStartedAt",
  "validationDeadlineAt",
  "issuedAt",
  "expiresAt",
  "createdAt",
] as const;
