/**
 * Rows as the release with a given newest migration wrote them: for each migration, rows of the tables that it
 * made, in the columns that it gave them, and where the API shows them. `X` stands for one organization's word.
 */
type Rows = { readonly sql: string; readonly reads: readonly string[] };

const NOTHING: Rows = { sql: "", reads: [] };

/** A new migration needs its line: rows of its tables, or `NOTHING` where it makes none. */
export const RELEASE_ROWS: Readonly<Record<string, Rows>> = {
  "0001_foundation.sql": {
    sql: `
      INSERT INTO organizations (organization_id, name) VALUES ('org_X', 'Organization X');
      INSERT INTO users (organization_id, id, email, name, role, git_login)
        VALUES ('org_X', 'user_X', 'X@example.com', 'User X', 'admin', 'login-X');
      INSERT INTO api_keys (organization_id, id, user_id, name, prefix, hash)
        VALUES ('org_X', 'key_X', 'user_X', 'Key X', 'key-of-X', sha256('key-of-X-0123456789abcdef'));
      INSERT INTO audit_entries (organization_id, id, user_id, api_key_id, action, resource_id, request_id)
        VALUES ('org_X', 'audit_X', 'user_X', 'key_X', 'user.created', 'user_X', 'request-X');
      INSERT INTO idempotency_keys (organization_id, key, fingerprint, answer)
        VALUES ('org_X', 'key-X', 'fingerprint', 'sealed');
      INSERT INTO reconciliations (organization_id, kind, entity_id, due_at)
        VALUES ('org_X', 'aws-account', 'aws_X', now() + interval '1 day')`,
    reads: ["/v1/users", "/v1/users/user_X", "/v1/api-keys", "/v1/audit-entries"],
  },
  "0002_cloud_accounts.sql": {
    sql: `
      INSERT INTO aws_accounts (organization_id, id, given_id, name, status, reported_account_id,
          reported_role_arn, connected_aws_account_id, role_arn, last_check_at)
        VALUES ('org_X', 'aws_X', 'given-X', 'Account X', 'CONNECTED', '123456789012',
          'arn:aws:iam::123456789012:role/X', '123456789012', 'arn:aws:iam::123456789012:role/X', now());
      INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token)
        VALUES ('org_X', 'git_X', 'provider_a', '', 'sealed')`,
    reads: [
      "/v1/aws-accounts",
      "/v1/aws-accounts/aws_X",
      "/v1/aws-accounts/given-X",
      "/v1/git-integrations/git_X",
    ],
  },
  "0003_projects.sql": {
    sql: `
      INSERT INTO projects (organization_id, id, name, aws_account_id, repo_url, normalized_repo_url, provider, host,
          config_type, config)
        VALUES ('org_X', 'proj_X', 'Project X', 'aws_X', 'https://git.sandbox.test/X.git', 'git.sandbox.test/X',
          'provider_a', '', 'gui', '{"environments": []}');
      INSERT INTO environments (organization_id, id, project_id, config_id, name, region, branch, deploy_trigger)
        VALUES ('org_X', 'env_X', 'proj_X', 'production', 'Production', 'us-west-2', 'main', 'manual');
      INSERT INTO services (organization_id, id, project_id, environment_id, config_id, name, type, settings)
        VALUES ('org_X', 'svc_X', 'proj_X', 'env_X', 'web', 'Web', 'static',
          '{"outputDirectory": "public", "dependsOn": []}');
      INSERT INTO deployments (organization_id, id, project_id, branch, commit_hash, status)
        VALUES ('org_X', 'depl_X', 'proj_X', 'main', '0123456789012345678901234567890123456789', 'PENDING')`,
    reads: [
      "/v1/projects/proj_X",
      "/v1/projects/proj_X/environments",
      "/v1/environments/env_X",
      "/v1/environments/env_X/services",
      "/v1/services/svc_X",
      "/v1/deployments?branch=main",
      "/v1/deployments/depl_X",
    ],
  },
  "0004_variables.sql": {
    sql: `
      INSERT INTO env_variables (organization_id, environment_id, name, source, kind, plain_value, generation)
        VALUES ('org_X', 'env_X', 'PLAIN', 'api', 'plainText', 'value', nextval('env_variable_generation'));
      INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, reference, generation)
        VALUES ('org_X', 'env_X', 'svc_X', 'STORED', 'api', 'parameterStore', '/slipway/X/STORED',
          nextval('env_variable_generation'));
      INSERT INTO env_variable_runs (organization_id, id, environment_id, service_id, generation, epoch_id, wrapped_key,
          created_at)
        VALUES ('org_X', 'run_X', 'env_X', 'svc_X', 1, 'epoch', 'wrapped', now());
      INSERT INTO env_variable_run_items (organization_id, run_id, scope_id, name, kind, generation, state, reference)
        VALUES ('org_X', 'run_X', 'svc_X', 'STORED', 'parameterStore', 1, 'STORED', '/slipway/X/STORED');
      INSERT INTO env_variable_run_items (organization_id, run_id, scope_id, name, kind, generation, state,
          failure_code, failure_message)
        VALUES ('org_X', 'run_X', 'svc_X', 'FAILED', 'secretsManager', 1, 'FAILED', 'EXPIRED', 'Too late.');
      INSERT INTO env_variable_managed_values (organization_id, scope_id, name, kind, project_id, aws_account_id, region,
          cloud_name, generation, may_exist)
        VALUES ('org_X', 'svc_X', 'STORED', 'parameterStore', 'proj_X', 'aws_X', 'us-west-2', '/slipway/X/STORED', 1, true)`,
    reads: [
      "/v1/environments/env_X/env-variables",
      "/v1/services/svc_X/env-variables",
      "/v1/services/svc_X/env-variables/effective",
      "/v1/services/svc_X/env-variables/status?runId=run_X",
    ],
  },
  "0005_custom_domains.sql": {
    sql: `
      INSERT INTO distributions (organization_id, id, service_id, aws_account_id, is_default, origin, requested_at,
          provider_id, domain_name)
        VALUES ('org_X', 'cdn_X', 'svc_X', 'aws_X', true, '{"kind": "placeholder"}', now(), 'E-X', 'X.cdn.example');
      INSERT INTO domain_certificate_groups (organization_id, id, service_id, distribution_id, name, is_default_cdn, status)
        VALUES ('org_X', 'group_X', 'svc_X', 'cdn_X', 'www.X.example.com', true, 'ACTIVE');
      INSERT INTO certificates (organization_id, id, group_id, names, status, provider_id, requested_at, issued_at)
        VALUES ('org_X', 'cert_X', 'group_X', '{www.X.example.com}', 'ISSUED', 'arn-X', now(), now());
      INSERT INTO domains (organization_id, id, group_id, svc_attachment_id, name, type, status)
        VALUES ('org_X', 'dom_X', 'group_X', 'att_X', 'www.X.example.com', 'SUBDOMAIN', 'ATTACHED');
      INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status, last_check_at,
          last_check_value, next_check_at, since)
        -- It is not looked at before it is there.
        VALUES ('org_X', 'rec_X', 'dom_X', 'SERVICE_CONNECTION', 'CNAME', 'www.X.example.com', 'X.cdn.example', 'OK',
          now(), 'X.cdn.example', now() + interval '1 day', now() + interval '1 day');
      INSERT INTO proven_names (name, organization_id, domain_id) VALUES ('www.X.example.com', 'org_X', 'dom_X')`,
    reads: [
      "/v1/services/svc_X/domain-certificate-groups",
      "/v1/domain-certificate-groups/group_X",
      "/v1/domain-certificate-groups/group_X/domains",
      "/v1/domains/dom_X",
    ],
  },
  "0006_domains_mended.sql": NOTHING,
  "0007_deployments.sql": {
    sql: `
      INSERT INTO deployment_runs (organization_id, deployment_id, environment_id, config_id, change, status, ended_at)
        VALUES ('org_X', 'depl_X', 'env_X', 'production', 'KEPT', 'SUCCESS', now());
      INSERT INTO deployment_services (organization_id, deployment_id, environment_id, service_id, config_id, name, type,
          workload, depends_on, status, artifact, url, ended_at)
        VALUES ('org_X', 'depl_X', 'env_X', 'svc_X', 'web', 'Web', 'static',
          '{"type": "static", "outputDirectory": "public"}', '{}', 'SUCCESS', 'artifact', 'https://X.cdn.example', now());
      INSERT INTO service_removals (organization_id, service_id, aws_account_id, region)
        VALUES ('org_X', 'svc_gone_X', 'aws_X', 'us-west-2');
      INSERT INTO git_hook_deliveries (organization_id, git_integration_id, delivery_id)
        VALUES ('org_X', 'git_X', 'delivery-X')`,
    reads: ["/v1/deployments/depl_X"],
  },
  "0008_environment_removals.sql": {
    sql: `
      INSERT INTO environment_removals (organization_id, environment_id, aws_account_id, region)
        VALUES ('org_X', 'env_gone_X', 'aws_X', 'us-west-2')`,
    reads: [],
  },
  "0009_account_of_work.sql": NOTHING,
  "0010_audit_age.sql": NOTHING,
  "0011_call_buckets.sql": {
    sql: "INSERT INTO call_buckets (key, full_at) VALUES ('key-X', now())",
    reads: [],
  },
  "0012_audit_of_resource.sql": NOTHING,
  "0013_room_for_looks.sql": NOTHING,
  "0014_awaited_steps.sql": NOTHING,
  "0015_logs_without_owner.sql": NOTHING,
  "0016_stragglers.sql": NOTHING,
  "0017_creations_of_unknown_end.sql": NOTHING,
  "0020_manners.sql": NOTHING,
  "0021_connection_reports.sql": {
    sql: `
      INSERT INTO aws_account_reports (organization_id, connection_id, account_id, role_arn)
        VALUES ('org_X', 'aws_X', '123456789012', 'arn:aws:iam::123456789012:role/X')`,
    reads: [],
  },
  "0022_project_deletion.sql": NOTHING,
  "0024_git_token_set_at.sql": NOTHING,
  "0030_row_level_security.sql": NOTHING,
  "0031_moved_origins.sql": NOTHING,
  "0032_claims.sql": NOTHING,
  "0033_events.sql": {
    sql: `
      INSERT INTO event_heads (organization_id, last) VALUES ('org_X', 1);
      INSERT INTO events (organization_id, sequence, id, type, occurred_at, subject_type, subject_id, actor_kind,
          actor_id, request_id, data, numbered_at)
        VALUES ('org_X', 1, 'evt_X', 'user.created', now(), 'user', 'user_X', 'user', 'user_X', 'request-X',
          '{"name": "User X", "role": "admin"}', now());
      INSERT INTO event_outbox (organization_id, id, type, subject_type, subject_id, actor_kind, actor_id, request_id,
          data)
        VALUES ('org_X', 'evt_X2', 'user.deleted', 'user', 'user_gone', 'user', 'user_X', 'request-X',
          '{"name": "User Y", "role": "viewer"}')`,
    reads: ["/v1/events"],
  },
  "0034_variable_versions.sql": {
    sql: `
      INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, at, user_id, api_key_id,
          request_id, kind, plain_value)
        VALUES ('org_X', 'env_X', 'PLAIN', 0, 'ver_X', now() - interval '1 day', 'user_X', 'key_X', 'request-X',
          'plainText', 'earlier')`,
    reads: ["/v1/environments/env_X/env-variables/PLAIN/history"],
  },
  "0035_lists.sql": NOTHING,
  "0036_certificate_expiry.sql": NOTHING,
  "0040_webhooks.sql": {
    sql: `
      INSERT INTO webhook_endpoints (organization_id, id, url, description, types, header_names, sealed_secret, cursor)
        VALUES ('org_X', 'whe_X', 'https://hooks.example.com/', 'X', '{user.*}', '{}', '\\x00', 1);
      INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, sequence, event_id, event_type, subject_id,
          trigger, status, attempts, spent, is_open, next_attempt_at)
        VALUES ('org_X', 'whe_X', 'whd_X', 1, 'evt_X', 'user.created', 'user_X', 'auto', 'DELIVERED', 1, 1, false, now());
      INSERT INTO webhook_attempts (organization_id, delivery_id, number, trigger, url, started_at, ended_at, status)
        VALUES ('org_X', 'whd_X', 1, 'auto', 'https://hooks.example.com/', now(), now(), 204)`,
    reads: ["/v1/webhook-endpoints", "/v1/webhook-endpoints/whe_X/deliveries/whd_X"],
  },
  "0041_owners.sql": {
    sql: `INSERT INTO owners (key, kind, organization_id) VALUES ('key-X', 'repository', 'org_X')`,
    reads: [],
  },
  "0048_installation_facts.sql": {
    sql: `INSERT INTO installation_facts (name, fact) VALUES ('fact-X', '{}')`,
    reads: [],
  },
  "0050_looks.sql": {
    sql: `
      UPDATE dns_records SET look_at = NULL WHERE organization_id = 'org_X';
      INSERT INTO dns_lookers (id, looked_until) VALUES ('X', now())`,
    reads: [],
  },
  "0055_next_expiry.sql": NOTHING,
  "0056_trace.sql": NOTHING,
  "0060_credentials.sql": {
    sql: `
      INSERT INTO sessions (organization_id, id, user_id, hash, api_key_id)
        VALUES ('org_X', 'ses_X', 'user_X', sha256('session-of-X'), 'key_X')`,
    reads: ["/v1/sessions/ses_X"],
  },
  "0061_identities.sql": {
    sql: `
      INSERT INTO identities (organization_id, issuer, subject, user_id)
        VALUES ('org_X', 'https://sso.example', 'subject-X', 'user_X')`,
    reads: [],
  },
  "0062_workloads.sql": {
    sql: `
      INSERT INTO workload_trusts (organization_id, id, user_id, name, issuer, audience, conditions, scopes)
        VALUES ('org_X', 'trust_X', 'user_X', 'CI', 'https://issuer.example', 'X', '{"sub": "X"}', '{deploy}');
      INSERT INTO workload_tokens (organization_id, id, trust_id, hash, subject, expires_at)
        VALUES ('org_X', 'wtok_X', 'trust_X', sha256('workload-of-X'), 'X', now() + interval '1 hour')`,
    reads: ["/v1/workload-trusts/trust_X"],
  },
  "0065_key_limits.sql": NOTHING,
  "0066_project_access.sql": {
    sql: `
      INSERT INTO project_members (organization_id, project_id, user_id, role)
        VALUES ('org_X', 'proj_X', 'user_X', 'developer')`,
    reads: ["/v1/projects/proj_X/members"],
  },
  "0067_approvals.sql": {
    sql: `
      INSERT INTO deployments (organization_id, id, project_id, branch, commit_hash, status)
        VALUES ('org_X', 'depl_asked_X', 'proj_X', 'asked', '0123456789012345678901234567890123456789', 'SUCCESS');
      INSERT INTO deployment_approvals (organization_id, deployment_id, environment_id, config_id, approvers, status,
          expires_at, decided_by, decided_at, comment)
        VALUES ('org_X', 'depl_asked_X', 'env_X', 'production', 'developer', 'APPROVED', now(), 'user_X', now(), 'Read.')`,
    reads: ["/v1/deployments/depl_asked_X"],
  },
  "0070_search.sql": NOTHING,
  "0071_deployment_starters.sql": NOTHING,
  "0072_domain_days.sql": {
    sql: `
      INSERT INTO domain_days (organization_id, day, attached, in_error, awaiting_records, in_progress)
        VALUES ('org_X', current_date - 1, 3, 1, 0, 2)`,
    reads: [],
  },
  "0073_git_hook_receipts.sql": {
    sql: `
      INSERT INTO git_hook_receipts (organization_id, id, git_integration_id, repository_url, outcome)
        VALUES ('org_X', 'ghd_X', 'git_X', 'https://git.example/X', 'NO_PUSH')`,
    reads: ["/v1/git-integrations/git_X/deliveries"],
  },
  "0080_delegations.sql": NOTHING,
  "0081_zone_records.sql": NOTHING,
  "0084_domain_connects.sql": {
    sql: `
      INSERT INTO domain_connects (organization_id, domain_id, started_by, state_hash, provider_name, expires_at)
        VALUES ('org_X', 'dom_X', 'user_X', '\\x00', 'DNS Inc.', now() + interval '1 hour')`,
    reads: [],
  },
  "0086_share_links.sql": {
    sql: `
      INSERT INTO share_links (organization_id, id, group_id, hash, created_by, expires_at)
        VALUES ('org_X', 'share_X', 'group_X', sha256('link-of-X'), 'user_X', now() + interval '1 day')`,
    reads: ["/v1/domain-certificate-groups/group_X/share-links"],
  },
  "0088_redirects.sql": NOTHING,
  "0089_git_token_checks.sql": NOTHING,
  "0090_last_seen.sql": NOTHING,
  "0093_held_back_domains.sql": NOTHING,
  "0095_share_link_domains.sql": NOTHING,
  "0097_deployments_of_one_environment.sql": NOTHING,
  "0098_deleted_projects.sql": {
    sql: `INSERT INTO deleted_projects (organization_id, id, member_ids) VALUES ('org_X', 'proj_deleted_X', '{user_X}')`,
    reads: [],
  },
  "0100_verified_email.sql": NOTHING,
  "0101_key_creators.sql": NOTHING,
  "0102_repository_case.sql": NOTHING,
  "0103_brandings.sql": {
    sql: `
      INSERT INTO brandings (organization_id, name, accent_color, logo, logo_type, logo_hash, logo_width, logo_height)
        VALUES ('org_X', 'Brand X', '#0a5c36', '\\x89', 'image/png', 'hash-of-X', 1, 1)`,
    reads: ["/v1/organization/branding"],
  },
  "0110_previews.sql": {
    sql: `
      INSERT INTO previews (organization_id, id, project_id, template_id, key, branch, commit_hash, is_fork, state,
          expires_at)
        VALUES ('org_X', 'prev_X', 'proj_X', 'env_X', 'key-X', 'main', '0123456789012345678901234567890123456789',
          false, 'ENDED', now() + interval '1 day');
      INSERT INTO pull_request_reads (organization_id, project_id) VALUES ('org_X', 'proj_X')`,
    reads: ["/v1/previews", "/v1/previews/prev_X"],
  },
  "0111_git_reports.sql": {
    sql: `
      INSERT INTO git_report_refusals (organization_id, project_id, operation, integration_id, refused_at)
        VALUES ('org_X', 'proj_X', 'status', 'git_X', now());
      INSERT INTO git_reports (organization_id, subject_id, key, project_id, operation, report)
        VALUES ('org_X', 'depl_X', 'status production', 'proj_X', 'status', '{}')`,
    reads: [],
  },
  "0112_preview_pull_requests.sql": NOTHING,
  "0113_pull_request_read_actions.sql": NOTHING,
  "0114_preview_removals.sql": {
    sql: `
      INSERT INTO preview_removals (organization_id, environment_id, project_id, preview_id, key, aws_account_id)
        VALUES ('org_X', 'env_gone_X', 'proj_X', 'prev_X', 'key-X', 'aws_X')`,
    reads: ["/v1/previews/orphans"],
  },
  "0115_preview_variables.sql": NOTHING,
  "0116_preview_access.sql": {
    sql: `INSERT INTO preview_access (organization_id, id, sealed_key) VALUES ('org_X', 'env_X', '\\x00')`,
    reads: [],
  },
  "0117_template_networks.sql": NOTHING,
  "0118_preview_domains.sql": NOTHING,
  "0119_preview_sleep.sql": NOTHING,
  "0120_notification_channels.sql": {
    sql: `
      INSERT INTO notification_channels (organization_id, id, kind, name, host, sealed_url, cursor)
        VALUES ('org_X', 'nch_X', 'slack', 'X', 'hooks.example.com', '\\x00', 1);
      INSERT INTO notification_topics (organization_id, channel_id, key, announced, group_key)
        VALUES ('org_X', 'nch_X', 'domain dom_X', 'bad ', 'domain.attachment_failed X');
      INSERT INTO notification_groups (organization_id, channel_id, group_key, announced_at)
        VALUES ('org_X', 'nch_X', 'domain.attachment_failed X', now())`,
    reads: ["/v1/notification-channels", "/v1/notification-channels/nch_X"],
  },
  "0121_restarts.sql": NOTHING,
  "0122_notification_repeats.sql": NOTHING,
  "0123_scaling_and_invalidations.sql": {
    sql: `
      INSERT INTO invalidations (organization_id, id, service_id, paths, status)
        VALUES ('org_X', 'inv_X', 'svc_X', '{/*}', 'PENDING')`,
    reads: ["/v1/cloudfront/invalidation/inv_X"],
  },
  "0124_private_services.sql": NOTHING,
  "0125_notifications_of_users.sql": NOTHING,
  "0126_executions.sql": {
    sql: `
      INSERT INTO executions (organization_id, id, project_id, environment_id, service_id, trigger, command, cpu, memory_gb,
                              time_limit_seconds, status)
        VALUES ('org_X', 'exec_X', 'proj_X', 'env_X', 'svc_X', 'run', 'X', 0.25, 0.5, 60, 'QUEUED')`,
    reads: ["/v1/executions/exec_X", "/v1/services/svc_X/executions"],
  },
  "0127_scheduled_jobs.sql": {
    sql: `
      INSERT INTO scheduled_jobs (organization_id, service_id, job_id, schedule, handled_until)
        VALUES ('org_X', 'svc_X', 'nightly', '0 3 * * *', now())`,
    reads: [],
  },
  "0128_scaling_takes.sql": NOTHING,
  "0129_post_deploy.sql": NOTHING,
  "0130_invitations.sql": {
    sql: `
      INSERT INTO invitations (organization_id, id, user_id, email, invited_by)
        VALUES ('org_X', 'invite_X', 'user_X', 'user_X@example.com', 'user_X')`,
    reads: ["/v1/users/user_X/invitation"],
  },
  // The service of the other rows has no data store.
  "0131_data_stores.sql": {
    sql: `
      INSERT INTO data_stores (organization_id, service_id, project_id, environment_id, aws_account_id, region, type)
        VALUES ('org_X', 'svc_Y', 'proj_X', 'env_X', 'aws_X', 'us-west-2', 'postgres')`,
    reads: [],
  },
  "0132_snapshots.sql": {
    sql: `
      INSERT INTO snapshots (organization_id, id, aws_account_id, region, project_id, environment_id, environment_config_id,
                             service_id, service_config_id, type, reason, status)
        VALUES ('org_X', 'snap_X', 'aws_X', 'us-west-2', 'proj_X', 'env_X', 'env', 'svc_X', 'db', 'postgres', 'manual', 'AVAILABLE')`,
    reads: ["/v1/snapshots/snap_X"],
  },
  "0133_deleted_data_stores.sql": NOTHING,
  "0134_snapshot_requests.sql": NOTHING,
  "0135_repeated_executions.sql": NOTHING,
};
