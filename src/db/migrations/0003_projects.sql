CREATE TABLE projects (
  organization_id text NOT NULL REFERENCES organizations,
  id text NOT NULL,
  name text NOT NULL,
  aws_account_id text NOT NULL,
  repo_url text NOT NULL,
  normalized_repo_url text NOT NULL,
  provider text NOT NULL,
  -- Empty where the provider has one host.
  host text NOT NULL,
  config_type text NOT NULL CHECK (config_type IN ('gui', 'iac')),
  config_file_path text,
  config_file_branch text,
  config jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT projects_aws_account_fk FOREIGN KEY (organization_id, aws_account_id) REFERENCES aws_accounts (organization_id, id),
  CONSTRAINT projects_git_integration_fk FOREIGN KEY (organization_id, provider, host)
    REFERENCES git_integrations (organization_id, provider, host)
);
CREATE INDEX projects_repo ON projects (organization_id, normalized_repo_url);
CREATE INDEX projects_aws_account ON projects (organization_id, aws_account_id);
CREATE INDEX projects_git_integration ON projects (organization_id, provider, host);

CREATE TABLE environments (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- The id that the configuration gives it.
  config_id text NOT NULL,
  name text NOT NULL,
  region text NOT NULL,
  branch text NOT NULL,
  deploy_trigger text NOT NULL CHECK (deploy_trigger IN ('manual', 'push')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT environments_config_id_key UNIQUE (organization_id, project_id, config_id)
);

CREATE TABLE services (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  environment_id text NOT NULL,
  config_id text NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('static', 'web', 'worker', 'external')),
  -- The fields of the configuration that belong to the type.
  settings jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT services_config_id_key UNIQUE (organization_id, environment_id, config_id)
);
CREATE INDEX services_project ON services (organization_id, project_id);

CREATE TABLE deployments (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- Null: every environment of the project whose source is the branch; there is not exactly one.
  environment_id text,
  branch text NOT NULL,
  -- The whole hash; the API shows its first 7 digits.
  commit_hash text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING')),
  status_reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX deployments_project ON deployments (organization_id, project_id, id);
