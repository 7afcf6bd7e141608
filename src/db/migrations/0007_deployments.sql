-- What a deployment does: a run in each of its environments, and in a run what becomes of each service.

ALTER TABLE deployments DROP CONSTRAINT deployments_status_check;
ALTER TABLE deployments
  ADD COLUMN trigger text NOT NULL DEFAULT 'api' CHECK (trigger IN ('api', 'push', 'rollback')),
  -- The deployment whose commit, configuration and artifacts this one brings back.
  ADD COLUMN rollback_of text,
  -- As it was written; null until it is read.
  ADD COLUMN config jsonb,
  ADD COLUMN error jsonb,
  ADD COLUMN cancel_requested_at timestamptz,
  -- Set when its runs are there.
  ADD COLUMN prepared_at timestamptz,
  ADD COLUMN started_at timestamptz,
  ADD COLUMN ended_at timestamptz;
UPDATE deployments
   SET status = 'CANCELLED', ended_at = now(), updated_at = now(),
       status_reason = 'It was recorded by a release of Slipway that did not build or release. Deploy again.'
 WHERE status = 'PENDING';
ALTER TABLE deployments ADD CONSTRAINT deployments_status_check CHECK (status IN
  ('PENDING', 'INPROGRESS', 'BUILDING', 'DEPLOYING', 'SUCCESS', 'ERROR', 'BUILD_ERROR', 'CANCELLED', 'SUPERSEDED'));
CREATE INDEX deployments_environment ON deployments (organization_id, environment_id, id);

-- Environments are named by id without a foreign key: what was done in one is still told when it is gone.
CREATE TABLE deployment_runs (
  organization_id text NOT NULL,
  deployment_id text NOT NULL,
  environment_id text NOT NULL,
  config_id text NOT NULL,
  change text NOT NULL CHECK (change IN ('CREATED', 'KEPT', 'REMOVED')),
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN
    ('PENDING', 'INPROGRESS', 'BUILDING', 'DEPLOYING', 'SUCCESS', 'ERROR', 'BUILD_ERROR', 'CANCELLED', 'SUPERSEDED')),
  status_reason text,
  error jsonb,
  -- Null until the configuration is applied.
  plan jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (organization_id, deployment_id, environment_id),
  FOREIGN KEY (organization_id, deployment_id) REFERENCES deployments (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX deployment_runs_waiting ON deployment_runs (organization_id, environment_id, deployment_id)
  WHERE status IN ('PENDING', 'INPROGRESS', 'BUILDING', 'DEPLOYING');
-- One at a time in an environment, whoever thinks that it is his turn.
CREATE UNIQUE INDEX deployment_runs_active ON deployment_runs (organization_id, environment_id)
  WHERE status IN ('INPROGRESS', 'BUILDING', 'DEPLOYING');

CREATE TABLE deployment_services (
  organization_id text NOT NULL,
  deployment_id text NOT NULL,
  environment_id text NOT NULL,
  service_id text NOT NULL,
  config_id text NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('static', 'web', 'worker', 'external')),
  -- Null for an external service, which is neither built nor released.
  workload jsonb,
  depends_on text[] NOT NULL,
  status text NOT NULL CHECK (status IN
    ('PENDING', 'INPROGRESS', 'BUILDING', 'DEPLOYING', 'SUCCESS', 'ERROR', 'BUILD_ERROR', 'CANCELLED')),
  error jsonb,
  artifact text,
  -- Where other services of the environment reach the release.
  url text,
  build_started_at timestamptz,
  build_ended_at timestamptz,
  release_started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (organization_id, deployment_id, service_id),
  FOREIGN KEY (organization_id, deployment_id, environment_id)
    REFERENCES deployment_runs (organization_id, deployment_id, environment_id) ON DELETE CASCADE
);
CREATE INDEX deployment_services_run ON deployment_services (organization_id, deployment_id, environment_id);
CREATE INDEX deployment_services_live ON deployment_services (organization_id, service_id, deployment_id)
  WHERE status = 'SUCCESS';

-- What a service that is gone may still have on the platform. Deleting the cloud account connection takes
-- the means to remove it, and so the row.
CREATE TABLE service_removals (
  organization_id text NOT NULL,
  service_id text NOT NULL,
  aws_account_id text NOT NULL,
  region text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, service_id),
  FOREIGN KEY (organization_id, aws_account_id) REFERENCES aws_accounts (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX service_removals_aws_account ON service_removals (organization_id, aws_account_id);

-- Which key a git host signs its deliveries with; null until one is asked for.
ALTER TABLE git_integrations ADD COLUMN sealed_hook_secret bytea;

CREATE TABLE git_hook_deliveries (
  organization_id text NOT NULL,
  git_integration_id text NOT NULL,
  delivery_id text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, git_integration_id, delivery_id),
  FOREIGN KEY (organization_id, git_integration_id) REFERENCES git_integrations (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX git_hook_deliveries_received_at ON git_hook_deliveries (received_at);
