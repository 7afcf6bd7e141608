/** The desired state of groups, read in one query at one moment. Each step starts with it. */
import { readStatement, type Sql } from "../../../db/database.ts";
import { type JsonRow, readJsonRow } from "../../../db/json-rows.ts";
import type { ConnectedDistribution } from "../../distributions/distribution.ts";
import { CONNECTED_DISTRIBUTION } from "../../distributions/columns.ts";
import { pokesOf } from "../../../jobs/enqueue.ts";
import { CERTIFICATE } from "./certificate-store.ts";
import type { Certificate, Domain, DomainWithRecords, Group } from "../custom-domain.ts";
import { GROUP, readRecords, WITH_RECORDS, type WithRecordsAsJson } from "../store.ts";

export type DesiredState = {
  readonly group: Group;
  readonly domains: readonly DomainWithRecords[];
  /** Oldest first. */
  readonly certificates: readonly Certificate[];
  /** Null when it was removed already. */
  readonly distribution: ConnectedDistribution | null;
  /** How often the group had been enqueued; null if nothing is due for it. */
  readonly pokes: number | null;
};

type Row = Group & {
  readonly domains: readonly (JsonRow<Domain> & WithRecordsAsJson)[];
  readonly certificates: readonly JsonRow<Certificate>[];
  readonly distribution: JsonRow<ConnectedDistribution> | null;
  readonly pokes: number | null;
};

const LIST_DESIRED = readStatement<Row>(
  "domain_groups_list_desired",
  `SELECT found.* FROM unnest($2::text[]) AS given(id) CROSS JOIN LATERAL (SELECT ${GROUP},
       ${pokesOf("domain-certificate-group", "$1", "given.id")},
       (SELECT coalesce(json_agg(d), '[]') FROM (SELECT ${WITH_RECORDS} FROM domains
          WHERE organization_id = $1 AND group_id = given.id ORDER BY id) d) AS domains,
       (SELECT coalesce(json_agg(c ORDER BY c.id), '[]') FROM (SELECT ${CERTIFICATE} FROM certificates
          WHERE organization_id = $1 AND group_id = given.id) c) AS certificates,
       (SELECT row_to_json(d) FROM (SELECT ${CONNECTED_DISTRIBUTION} FROM distributions
          WHERE organization_id = $1 AND id = domain_certificate_groups.distribution_id) d) AS distribution
     FROM domain_certificate_groups WHERE organization_id = $1 AND id = given.id LIMIT 1) found`,
);

export async function listDesired(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly DesiredState[]> {
  return (await sql.query(LIST_DESIRED, [organizationId, ids])).map(readRow);
}

function readRow({ domains, certificates, distribution, pokes, ...group }: Row): DesiredState {
  return {
    pokes,
    distribution:
      distribution === null ? null : readJsonRow(distribution, ["requestedAt", "createStartedAt"]),
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
