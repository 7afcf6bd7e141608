-- Environments whose deployments a second person has to approve, and what was decided.
ALTER TABLE environments ADD COLUMN approvers text;
ALTER TABLE environments ADD COLUMN approval_hours integer;
CREATE INDEX environments_with_approval ON environments (organization_id, id) WHERE approvers IS NOT NULL;

-- Set while the deployment waits for nothing else. Its `status` is PENDING then, which earlier releases know.
ALTER TABLE deployments ADD COLUMN waits_for_approval boolean NOT NULL DEFAULT false;

-- One for each environment that asks. The run there begins, or ends, with the decision.
CREATE TABLE deployment_approvals (
  organization_id text NOT NULL,
  deployment_id text NOT NULL,
  environment_id text NOT NULL,
  config_id text NOT NULL,
  -- The role that the environment asked for at that time.
  approvers text NOT NULL CONSTRAINT deployment_approvals_approvers_check CHECK (approvers IN ('developer', 'admin')),
  status text NOT NULL DEFAULT 'WAITING' CONSTRAINT deployment_approvals_status_check CHECK (status IN
    ('WAITING', 'APPROVED', 'REJECTED', 'TIMED_OUT', 'CANCELLED', 'SUPERSEDED')),
  requested_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_by text,
  decided_at timestamptz,
  comment text,
  is_bypass boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, deployment_id, environment_id)
);
ALTER TABLE deployment_approvals ADD CONSTRAINT deployment_approvals_deployment_fk
  FOREIGN KEY (organization_id, deployment_id) REFERENCES deployments (organization_id, id) ON DELETE CASCADE;
CREATE INDEX deployment_approvals_waiting ON deployment_approvals (organization_id, environment_id, deployment_id)
  WHERE status = 'WAITING';
ALTER TABLE deployment_approvals ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON deployment_approvals
  USING (organization_id = current_setting('slipway.organization_id', true));
