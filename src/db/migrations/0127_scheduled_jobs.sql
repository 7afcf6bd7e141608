-- How far the schedule of a job has been handled. The job itself is in the settings of its service.
CREATE TABLE scheduled_jobs (
  organization_id text NOT NULL,
  service_id text NOT NULL,
  job_id text NOT NULL,
  -- The schedule and its time zone: another one begins anew.
  schedule text NOT NULL,
  handled_until timestamptz NOT NULL,
  -- A start that waits for the end of another.
  waiting_for timestamptz,
  PRIMARY KEY (organization_id, service_id, job_id)
);
ALTER TABLE scheduled_jobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON scheduled_jobs
  USING (organization_id = current_setting('slipway.organization_id', true));
CREATE INDEX executions_of_job ON executions (organization_id, service_id, job_id, id) WHERE job_id IS NOT NULL;
