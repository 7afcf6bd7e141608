import type { Client } from "pg";
import { createSandboxCloud } from "../../src/cloud/sandbox/adapter.ts";
import { validationRecordOf } from "../../sandbox/src/cdn/certificates.ts";
import type { CloudAccount, ObservedDistribution, Origin } from "../../src/cloud/cloud.ts";
import type { Rig } from "../rig.ts";

/** A domain that waits for the record that proves it. */
export type WaitingDomain = {
  readonly id: string;
  readonly record: { readonly name: string; readonly value: string };
};

/** Calls to the sandbox at once. */
const LANES = 16;

const idOf = (prefix: string, index: number): string => `${prefix}_${String(index).padStart(26, "0")}`;
/** The same in SQL. */
const sqlId = (prefix: string): string => `'${prefix}_' || lpad(seed.i::text, 26, '0')`;

/**
 * Copies a group that waits for its record until there are `count` more, each with a certificate and a
 * separate distribution in the sandbox, and a separate zone in the DNS.
 */
export async function seedWaitingGroups(
  { sandbox, sandboxSecret }: Rig,
  database: Client,
  templateGroupId: string,
  count: number,
): Promise<readonly WaitingDomain[]> {
  const { rows } = await database.query<CloudAccount & { origin: Origin; organizationId: string }>(
    `SELECT a.id AS "connectionId", a.connected_aws_account_id AS "accountId", a.role_arn AS "roleArn", d.origin,
            g.organization_id AS "organizationId"
       FROM domain_certificate_groups g
       JOIN distributions d ON d.organization_id = g.organization_id AND d.id = g.distribution_id
       JOIN aws_accounts a ON a.organization_id = d.organization_id AND a.id = d.aws_account_id
      WHERE g.id = $1`,
    [templateGroupId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error("The first group has no distribution.");
  const { origin, organizationId, ...account } = found;
  const cloud = createSandboxCloud({ url: sandbox.url, publicUrl: sandbox.url, secret: sandboxSecret });

  const names = Array.from({ length: count }, (_, index) => `www.customer-${index}.com`);
  const records = names.map((name) => validationRecordOf(account.accountId, name));
  const certificateIds: string[] = [];
  const distributions: ObservedDistribution[] = [];
  const queue = names.entries();
  const make = async (): Promise<void> => {
    for (const [index, name] of queue) {
      const [certificate, distribution] = await Promise.all([
        cloud.certificates.request(account, { names: [name], token: idOf("cert", index) }),
        cloud.distributions.create(account, { token: idOf("cdn", index), origin }),
      ]);
      certificateIds[index] = certificate.id;
      distributions[index] = distribution;
    }
  };
  await Promise.all(Array.from({ length: LANES }, make));

  const seeds: readonly (readonly unknown[])[] = [
    names,
    certificateIds,
    distributions.map(({ id }) => id),
    distributions.map(({ domainName }) => domainName),
    records.map(({ name }) => name),
    records.map(({ value }) => value),
  ];
  /** Copies the row of a table that belongs to the template, changed, once for each group. */
  const copy = async (table: string, where: string, changes: string): Promise<void> => {
    await database.query(
      `INSERT INTO ${table}
       SELECT copied.*
         FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY
              AS given(name, certificate_id, distribution_id, domain_name, record_name, record_value, ordinal)
        CROSS JOIN LATERAL (SELECT given.*, given.ordinal - 1 AS i) seed
         JOIN ${table} t ON t.organization_id = $1 AND ${where}
        CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object(${changes})) copied`,
      [organizationId, templateGroupId, ...seeds],
    );
  };
  await database.query("BEGIN");
  await copy(
    "distributions",
    "t.id = (SELECT distribution_id FROM domain_certificate_groups WHERE organization_id = $1 AND id = $2)",
    `'id', ${sqlId("cdn")}, 'provider_id', seed.distribution_id, 'domain_name', seed.domain_name`,
  );
  await copy(
    "domain_certificate_groups",
    "t.id = $2",
    `'id', ${sqlId("group")}, 'name', seed.name, 'distribution_id', ${sqlId("cdn")}`,
  );
  await copy(
    "certificates",
    "t.group_id = $2",
    `'id', ${sqlId("cert")}, 'group_id', ${sqlId("group")}, 'names', ARRAY[seed.name], 'provider_id', seed.certificate_id`,
  );
  await copy(
    "domains",
    "t.group_id = $2",
    `'id', ${sqlId("dom")}, 'group_id', ${sqlId("group")}, 'svc_attachment_id', ${sqlId("att")}, 'name', seed.name`,
  );
  const copyRecord = (purpose: string, id: string, name: string, value: string): Promise<void> =>
    copy(
      "dns_records",
      `t.purpose = '${purpose}' AND
       t.domain_id = (SELECT id FROM domains WHERE organization_id = $1 AND group_id = $2)`,
      `'id', ${sqlId(id)}, 'domain_id', ${sqlId("dom")}, 'name', trim(TRAILING '.' FROM ${name}),
       'value', trim(TRAILING '.' FROM ${value}), 'since', now(), 'look_at', now(),
       'last_check_at', NULL, 'last_check_value', NULL, 'last_check_error', NULL`,
    );
  await copyRecord("CERTIFICATE_DOMAIN_VERIFICATION", "rec", "seed.record_name", "seed.record_value");
  await copyRecord("SERVICE_CONNECTION", "rec_c", "seed.name", "seed.domain_name");
  // As they would be had they been made one after the other: each is looked at every few minutes.
  await copy(
    "reconciliations",
    "t.entity_id = $2",
    `'entity_id', ${sqlId("group")}, 'due_at', now() + seed.i * interval '300 seconds' / ${count}`,
  );
  await database.query("COMMIT");
  for (const table of [
    "distributions",
    "domain_certificate_groups",
    "certificates",
    "domains",
    "dns_records",
  ])
    await database.query(`VACUUM ANALYZE ${table}`);

  return records.map((record, index) => ({
    id: idOf("dom", index),
    record: { name: record.name, value: record.value },
  }));
}
