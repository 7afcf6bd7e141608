-- Since when a project is being deleted; its environments, services and deployments are gone by then.
ALTER TABLE projects ADD COLUMN deletion_requested_at timestamptz;
-- Whose it was: a project that is being deleted waits for it. Null of what was released before.
ALTER TABLE distributions ADD COLUMN project_id text;
ALTER TABLE service_removals ADD COLUMN project_id text;
ALTER TABLE environment_removals ADD COLUMN project_id text;
CREATE INDEX distributions_project ON distributions (organization_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX distributions_aws_account ON distributions (organization_id, aws_account_id) WHERE NOT is_wanted;
CREATE INDEX service_removals_project ON service_removals (organization_id, project_id);
CREATE INDEX environment_removals_project ON environment_removals (organization_id, project_id);
-- Until then a call of the service that was under way may arrive, and it is removed once more; null: a minute after
-- the request.
ALTER TABLE service_removals ADD COLUMN settled_at timestamptz;
-- Whether a service ever was on the platform is asked for when it is removed.
CREATE INDEX deployment_services_environment ON deployment_services (organization_id, environment_id, service_id);
