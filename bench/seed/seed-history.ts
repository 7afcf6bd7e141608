import type { Client } from "pg";

/**
 * Fills what lies beside the domains of an installation that has run for long: audit entries, answers of a day, who
 * proved which name, and what is looked at again tomorrow.
 */
export async function seedHistory(database: Client, organizationId: string, domains: number): Promise<void> {
  const id = (prefix: string): string => `'${prefix}_' || lpad(i::text, 26, '0')`;
  const fill = async (text: string, rows: number): Promise<void> => {
    await database.query(`${text} FROM generate_series(0, $2::int - 1) i`, [organizationId, rows]);
  };
  await fill(
    `INSERT INTO audit_entries (organization_id, id, at, user_id, api_key_id, action, resource_id, request_id)
     SELECT $1, ${id("audit")}, now() - i * interval '10 seconds', ${id("user")}, ${id("key")}, 'domain.created',
            ${id("dom")}, gen_random_uuid()::text`,
    domains,
  );
  await fill(
    `INSERT INTO proven_names (name, organization_id, domain_id)
     SELECT 'www.customer-' || i || '.example.com', $1, ${id("dom")}`,
    domains,
  );
  // The size of a usual answer, sealed and padded.
  await fill(
    `INSERT INTO idempotency_keys (organization_id, key, fingerprint, answer, created_at)
     SELECT $1, gen_random_uuid()::text, repeat('f', 43), decode(repeat('ab', 1024), 'hex'), now() - i * interval '0.5 seconds'`,
    domains / 10,
  );
  await fill(
    `INSERT INTO certificates (organization_id, id, group_id, names, status, provider_id, requested_at)
     SELECT $1, ${id("cert")}, ${id("group")}, ARRAY['www.customer-' || i || '.example.com'], 'ISSUED',
            'arn:aws:acm:us-east-1:123456789012:certificate/' || gen_random_uuid(), now()`,
    domains / 100,
  );
  await fill(
    `INSERT INTO reconciliations (organization_id, kind, entity_id, due_at)
     SELECT $1, 'domain-certificate-group', ${id("group")}, now() + interval '1 day'`,
    domains / 100,
  );
  await database.query("VACUUM ANALYZE");
}
