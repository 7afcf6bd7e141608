-- The second wall behind the statements, which all name their organization: what runs under the role of
-- `src/db/tenant-role.ts` reaches the rows of one organization alone. Whoever owns the tables passes by it, as
-- processes of the release before do.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON organizations
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON users
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON api_keys
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON audit_entries
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON idempotency_keys
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE reconciliations ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON reconciliations
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE aws_accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON aws_accounts
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE git_integrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON git_integrations
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON projects
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE environments ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON environments
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE services ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON services
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE deployments ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON deployments
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE env_variables ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON env_variables
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE env_variable_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON env_variable_runs
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE env_variable_run_items ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON env_variable_run_items
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE env_variable_managed_values ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON env_variable_managed_values
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE distributions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON distributions
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE domain_certificate_groups ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON domain_certificate_groups
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE certificates ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON certificates
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE domains ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON domains
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE dns_records ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON dns_records
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE deployment_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON deployment_runs
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE deployment_services ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON deployment_services
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE service_removals ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON service_removals
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE git_hook_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON git_hook_deliveries
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE environment_removals ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON environment_removals
  USING (organization_id = current_setting('slipway.organization_id', true));

-- Whose a name is, is decided among all organizations: each may look, and none may touch what is another's.
ALTER TABLE proven_names ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON proven_names
  USING (organization_id = current_setting('slipway.organization_id', true));
CREATE POLICY of_everybody ON proven_names FOR SELECT USING (true);
