import { Client } from "pg";

export type Seeded = {
  readonly organizationId: string;
  /** A group that holds 100 of the domains. */
  readonly groupId: string;
  readonly domainIdOf: (index: number) => string;
};

const DOMAINS_PER_GROUP = 100;
const idOf = (prefix: string, index: number): string => `${prefix}_${String(index).padStart(26, "0")}`;
/** The same in SQL. */
const sqlIdOf = (prefix: string, index: string): string => `'${prefix}_' || lpad((${index})::text, 26, '0')`;

/** Fills the first organization's service with attached domains, two records each, until it has `count`. */
export async function seedDomains(databaseUrl: string, serviceId: string, count: number): Promise<Seeded> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ organizationId: string; distributionId: string }>(
      `SELECT s.organization_id AS "organizationId", d.id AS "distributionId"
         FROM services s JOIN distributions d ON d.organization_id = s.organization_id AND d.service_id = s.id
        WHERE s.id = $1`,
      [serviceId],
    );
    const { organizationId = "", distributionId = "" } = rows[0] ?? {};
    const { rows: counted } = await client.query<{ have: number }>(
      "SELECT count(*)::int AS have FROM domains WHERE id LIKE 'dom\\_0000%'",
    );
    const from = counted[0]?.have ?? 0;
    const values = [organizationId, from, count - 1];
    await client.query(
      `INSERT INTO domain_certificate_groups (organization_id, id, service_id, distribution_id, name, is_default_cdn, status)
       SELECT $1, ${sqlIdOf("group", "g")}, $4, $5, 'bench', false, 'ACTIVE'
         FROM generate_series($2::int / ${DOMAINS_PER_GROUP}, $3::int / ${DOMAINS_PER_GROUP}) g`,
      [...values, serviceId, distributionId],
    );
    await client.query(
      `INSERT INTO domains (organization_id, id, group_id, svc_attachment_id, name, type, status, delegation)
       SELECT $1, ${sqlIdOf("dom", "i")}, ${sqlIdOf("group", `i / ${DOMAINS_PER_GROUP}`)}, ${sqlIdOf("att", "i")},
              'www.customer-' || i || '.example.com', 'SUBDOMAIN', 'ATTACHED',
              '{"zone": "example.com", "nameServers": ["amy.ns.cloudflare.com", "bob.ns.cloudflare.com"]}'
         FROM generate_series($2::int, $3::int) i`,
      values,
    );
    for (const purpose of ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"]) {
      await client.query(
        `INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status, last_check_at,
                                  last_check_value, last_check_error, look_at)
         SELECT $1, ${sqlIdOf(purpose === "SERVICE_CONNECTION" ? "recs" : "recv", "i")}, ${sqlIdOf("dom", "i")}, $4, 'CNAME',
                'www.customer-' || i || '.example.com', 'target.cdn.sandbox.test', 'OK', now(),
                'target.cdn.sandbox.test', '{}', NULL
           FROM generate_series($2::int, $3::int) i`,
        [...values, purpose],
      );
    }
    await client.query("VACUUM ANALYZE domains, dns_records, domain_certificate_groups");
    // Otherwise PostgreSQL would write the seeded rows to the disk in the minutes that are measured.
    await client.query("CHECKPOINT");
    return { organizationId, groupId: idOf("group", 0), domainIdOf: (index) => idOf("dom", index) };
  } finally {
    await client.end();
  }
}
