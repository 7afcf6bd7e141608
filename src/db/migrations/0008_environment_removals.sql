-- What the services of an environment shared on the platform is removed after them.
CREATE TABLE environment_removals (
  organization_id text NOT NULL,
  environment_id text NOT NULL,
  aws_account_id text NOT NULL,
  region text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, environment_id),
  FOREIGN KEY (organization_id, aws_account_id) REFERENCES aws_accounts (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX environment_removals_aws_account ON environment_removals (organization_id, aws_account_id);

-- Null of those that were requested before.
ALTER TABLE service_removals ADD COLUMN environment_id text;
CREATE INDEX service_removals_environment ON service_removals (organization_id, environment_id);
