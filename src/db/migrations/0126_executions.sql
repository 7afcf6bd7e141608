-- One start of a command in the live release of a service: at the request of a user, or by a job's schedule.
CREATE TABLE executions (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  environment_id text NOT NULL,
  service_id text NOT NULL,
  -- The job's id in the configuration; null for a one-off run.
  job_id text,
  trigger text NOT NULL,
  -- The minute of the schedule; null without one.
  scheduled_for timestamptz,
  attempt integer NOT NULL DEFAULT 1,
  command text NOT NULL,
  cpu double precision NOT NULL,
  memory_gb double precision NOT NULL,
  time_limit_seconds integer NOT NULL,
  started_by text,
  -- Whose release it runs in; null until that is chosen.
  deployment_id text,
  status text NOT NULL,
  exit_code integer,
  error jsonb,
  cancel_requested_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX executions_of_service ON executions (organization_id, service_id, id);
CREATE INDEX executions_under_way ON executions (organization_id, service_id) WHERE ended_at IS NULL;
CREATE INDEX executions_ended_at ON executions (ended_at);
-- Two workers never start one tick twice.
CREATE UNIQUE INDEX executions_of_tick ON executions (organization_id, service_id, job_id, scheduled_for, attempt)
  WHERE scheduled_for IS NOT NULL;

ALTER TABLE executions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON executions
  USING (organization_id = current_setting('slipway.organization_id', true));
