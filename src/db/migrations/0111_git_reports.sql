-- How much the git host is sent about deployments there.
-- 'comment', 'deployment' or 'none'.
ALTER TABLE environments ADD COLUMN report text NOT NULL DEFAULT 'comment';
-- Why the git host refuses reports; null if it takes all of them.
ALTER TABLE git_integrations ADD COLUMN report_error jsonb;

-- Reports that a git host refused lately, so that they are not sent again at each step.
CREATE TABLE git_report_refusals (
  organization_id text NOT NULL,
  project_id text NOT NULL,
  -- 'deployment', 'comment' or 'status'.
  operation text NOT NULL,
  integration_id text NOT NULL,
  refused_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, project_id, operation)
);
ALTER TABLE git_report_refusals ADD CONSTRAINT git_report_refusals_project_fkey
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE;
ALTER TABLE git_report_refusals ADD CONSTRAINT git_report_refusals_integration_fkey
  FOREIGN KEY (organization_id, integration_id) REFERENCES git_integrations (organization_id, id) ON DELETE CASCADE;
CREATE INDEX git_report_refusals_of_integration ON git_report_refusals (organization_id, integration_id);
ALTER TABLE git_report_refusals ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON git_report_refusals
  USING (organization_id = current_setting('slipway.organization_id', true));

-- What the git host was last sent.
CREATE TABLE git_reports (
  organization_id text NOT NULL,
  -- A deployment or a preview, which may be deleted meanwhile.
  subject_id text NOT NULL,
  -- Distinguishes the reports of a subject: 'comment', 'status <environment>', 'deployment <commit>'.
  key text NOT NULL,
  project_id text NOT NULL,
  operation text NOT NULL,
  -- At the git host; null for what has no id there.
  host_id text,
  report jsonb NOT NULL,
  PRIMARY KEY (organization_id, subject_id, key)
);
ALTER TABLE git_reports ADD CONSTRAINT git_reports_project_fkey
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE;
CREATE INDEX git_reports_of_project ON git_reports (organization_id, project_id);
ALTER TABLE git_reports ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON git_reports
  USING (organization_id = current_setting('slipway.organization_id', true));
