import type { Client } from "pg";

/**
 * Fills what lies beside the domains of an installation that has run for long: audit entries, deployments, answers of a
 * day, who proved which name, and what is looked at again tomorrow.
 */
export async function seedHistory(database: Client, organizationId: string, domains: number): Promise<void> {
  const id = (prefix: string): string => `'${prefix}_' || lpad(i::text, 26, '0')`;
  const fill = async (text: string, rows: number): Promise<void> => {
    await database.query(`${text} FROM generate_series(0, $2::int - 1) i`, [organizationId, rows]);
  };
  const madeAt = "now() - i * interval '10 seconds'";
  await fill(
    `INSERT INTO audit_entries (organization_id, id, at, user_id, api_key_id, action, resource_id, request_id)
     SELECT $1, 'audit_' || ${beginningOfId(madeAt)} || lpad(i::text, 16, '0'), now() - i * interval '10 seconds', ${id("user")}, ${id("key")}, 'domain.created',
            ${id("dom")}, gen_random_uuid()::text`,
    domains,
  );
  const environment = "(SELECT id FROM environments WHERE organization_id = $1 ORDER BY id LIMIT 1)";
  await fill(
    `INSERT INTO deployments (organization_id, id, project_id, environment_id, branch, commit_hash, status, ended_at)
     SELECT $1, ${id("depl")}, (SELECT project_id FROM environments WHERE organization_id = $1 ORDER BY id LIMIT 1),
            ${environment}, 'main', repeat('a', 40), 'SUCCESS', now()`,
    domains / 10,
  );
  await fill(
    `INSERT INTO deployment_runs (organization_id, deployment_id, environment_id, config_id, change, status, ended_at)
     SELECT $1, ${id("depl")}, ${environment}, 'production', 'KEPT', 'SUCCESS', now()`,
    domains / 10,
  );
  await fill(
    `INSERT INTO deployment_services (organization_id, deployment_id, environment_id, service_id, config_id, name, type,
                                      workload, depends_on, status, ended_at)
     SELECT $1, ${id("depl")}, ${environment}, (SELECT id FROM services WHERE organization_id = $1 ORDER BY id LIMIT 1),
            'web', 'Web', 'static', '{}', '{}', 'SUCCESS', now()`,
    domains / 10,
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

/** The part of an id that says when it was made (TypeID: 48 bits of milliseconds, in the base 32 of Crockford). */
function beginningOfId(at: string): string {
  const milliseconds = `(extract(epoch FROM ${at}) * 1000)::bigint`;
  const digit = `substr('0123456789abcdefghjkmnpqrstvwxyz', ((${milliseconds} >> (45 - 5 * k)) & 31)::int + 1, 1)`;
  return `(SELECT string_agg(${digit}, '' ORDER BY k) FROM generate_series(0, 9) k)`;
}
