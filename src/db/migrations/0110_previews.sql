-- What makes an environment a template of previews; null if it is none.
ALTER TABLE environments ADD COLUMN template jsonb;
-- The environment that a preview was made from; null if it is no preview.
ALTER TABLE environments ADD COLUMN template_id text;
-- Whether a preview's commits come from another repository, so that it gets no secret.
ALTER TABLE environments ADD COLUMN is_fork boolean NOT NULL DEFAULT false;
CREATE INDEX environments_of_template ON environments (organization_id, template_id) WHERE template_id IS NOT NULL;

ALTER TABLE deployments ADD COLUMN is_preview boolean NOT NULL DEFAULT false;

-- Pull requests, and keys that clients name, which get an environment of their own.
CREATE TABLE previews (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- An environment, which may be deleted meanwhile.
  template_id text NOT NULL,
  -- Null if there is none: not yet, or no longer.
  environment_id text,
  -- 'pr-12' for a pull request, otherwise as the client named it.
  key text NOT NULL,
  -- As the git host describes it; null if a client asked for the preview.
  pull_request jsonb,
  branch text NOT NULL,
  -- The commit that it should show, and the one that was last deployed.
  commit_hash text NOT NULL,
  deployed_commit text,
  is_fork boolean NOT NULL,
  state text NOT NULL CONSTRAINT previews_state_check CHECK (state IN
    ('WAITING_FOR_APPROVAL', 'WAITING_FOR_CAPACITY', 'ACTIVE', 'ENDED', 'DELETING')),
  reason text,
  -- While it is being deleted: it stays as ENDED, because its pull request may still be open.
  stays_ended boolean NOT NULL DEFAULT false,
  approved_commit text,
  approved_by text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT previews_key_key UNIQUE (organization_id, project_id, template_id, key)
);
ALTER TABLE previews ADD CONSTRAINT previews_project_fkey
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE;
CREATE INDEX previews_of_environment ON previews (organization_id, environment_id);
CREATE INDEX previews_of_project ON previews (organization_id, project_id, id);
ALTER TABLE previews ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON previews
  USING (organization_id = current_setting('slipway.organization_id', true));

-- How far the pull requests of a project's repository were read.
CREATE TABLE pull_request_reads (
  organization_id text NOT NULL,
  project_id text NOT NULL,
  -- Identifies the host's last answer; null: the next read lists all.
  tag text,
  -- The rules of the templates when all were listed: others need all of them again.
  rules text,
  listed_at timestamptz,
  -- Why the host could not be read last time; null if it could.
  error_code text,
  error_message text,
  PRIMARY KEY (organization_id, project_id)
);
ALTER TABLE pull_request_reads ADD CONSTRAINT pull_request_reads_project_fkey
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE;
ALTER TABLE pull_request_reads ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON pull_request_reads
  USING (organization_id = current_setting('slipway.organization_id', true));
CREATE INDEX deployments_of_preview ON deployments (organization_id, environment_id) WHERE is_preview;
