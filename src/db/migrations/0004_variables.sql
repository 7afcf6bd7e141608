-- Environment variables, the runs that store managed values in the customer's cloud, and what was put there.

-- Orders all accepted writes; for one name the write with the highest generation wins.
CREATE SEQUENCE env_variable_generation;

-- What is in force. A managed value has a row here once it is stored, so that a write which fails changes nothing.
CREATE TABLE env_variables (
  organization_id text NOT NULL,
  environment_id text NOT NULL,
  -- Null for a variable of the whole environment.
  service_id text,
  scope_id text NOT NULL GENERATED ALWAYS AS (coalesce(service_id, environment_id)) STORED,
  name text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL CHECK (source IN ('api', 'config')),
  kind text NOT NULL CHECK (kind IN
    ('plainText', 'parameterStore', 'secretsManager', 'fromParameterStore', 'fromSecretsManager', 'fromService')),
  plain_value text,
  -- A parameter's path or a secret's ARN.
  reference text,
  linked_service_id text,
  linked_property text,
  generation bigint NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, scope_id, name, source),
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, linked_service_id) REFERENCES services (organization_id, id) ON DELETE CASCADE,
  CHECK ((kind = 'plainText') = (plain_value IS NOT NULL)),
  CHECK ((kind = 'fromService') = (linked_service_id IS NOT NULL AND linked_property IS NOT NULL)),
  CHECK ((kind NOT IN ('plainText', 'fromService')) = (reference IS NOT NULL))
);
CREATE INDEX env_variables_environment ON env_variables (organization_id, environment_id);
CREATE INDEX env_variables_service ON env_variables (organization_id, service_id) WHERE service_id IS NOT NULL;
CREATE INDEX env_variables_linked_service ON env_variables (organization_id, linked_service_id)
  WHERE linked_service_id IS NOT NULL;

CREATE TABLE env_variable_runs (
  organization_id text NOT NULL,
  id text NOT NULL,
  environment_id text NOT NULL,
  service_id text,
  scope_id text NOT NULL GENERATED ALWAYS AS (coalesce(service_id, environment_id)) STORED,
  generation bigint NOT NULL,
  -- Which sealing key wraps the run's own key, which seals its values.
  epoch_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX env_variable_runs_environment ON env_variable_runs (organization_id, environment_id);
CREATE INDEX env_variable_runs_service ON env_variable_runs (organization_id, service_id)
  WHERE service_id IS NOT NULL;
CREATE INDEX env_variable_runs_created_at ON env_variable_runs (created_at);

CREATE TABLE env_variable_run_items (
  organization_id text NOT NULL,
  run_id text NOT NULL,
  scope_id text NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('parameterStore', 'secretsManager')),
  generation bigint NOT NULL,
  state text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'STORED', 'FAILED')),
  -- Gone as soon as the item has ended.
  sealed bytea,
  reference text,
  failure_code text,
  failure_message text,
  -- A call was made, or is being made, whose outcome nobody knows.
  attempt_open boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 0,
  -- Null: at once.
  next_attempt_at timestamptz,
  PRIMARY KEY (organization_id, run_id, name),
  FOREIGN KEY (organization_id, run_id) REFERENCES env_variable_runs (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'WAITING') = (sealed IS NOT NULL)),
  CHECK ((state = 'STORED') = (reference IS NOT NULL)),
  CHECK ((state = 'FAILED') = (failure_code IS NOT NULL AND failure_message IS NOT NULL))
);
CREATE INDEX env_variable_run_items_waiting ON env_variable_run_items (organization_id, scope_id, name)
  WHERE state = 'WAITING';

-- What is, or may be, in the customer's cloud. A row is there before the first call is made, and goes after
-- the value is removed. It refers to no project, environment or service, for it outlives them. Deleting
-- the cloud account connection takes the means to remove anything, and so the rows.
CREATE TABLE env_variable_managed_values (
  organization_id text NOT NULL,
  scope_id text NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('parameterStore', 'secretsManager')),
  project_id text NOT NULL,
  aws_account_id text NOT NULL,
  region text NOT NULL,
  cloud_name text NOT NULL,
  -- Of the newest write that was accepted for it.
  generation bigint NOT NULL,
  -- False while nothing can have been put there.
  may_exist boolean NOT NULL DEFAULT false,
  put_started_at timestamptz,
  -- Set when it was removed, but a call from before might still arrive.
  removed_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  last_error_code text,
  last_error_message text,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, scope_id, name, kind),
  FOREIGN KEY (organization_id, aws_account_id) REFERENCES aws_accounts (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX env_variable_managed_values_project ON env_variable_managed_values (organization_id, project_id);
CREATE INDEX env_variable_managed_values_aws_account ON env_variable_managed_values (organization_id, aws_account_id);
