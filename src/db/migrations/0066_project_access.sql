-- Who sees a project, the roles of users in it, and who may change what runs in an environment.
ALTER TABLE projects ADD COLUMN access text NOT NULL DEFAULT 'organization';
CREATE INDEX projects_of_members ON projects (organization_id, id) WHERE access = 'members';

ALTER TABLE environments ADD COLUMN deployers text NOT NULL DEFAULT 'developer';
CREATE INDEX environments_protected ON environments (organization_id, id) WHERE deployers <> 'developer';

CREATE TABLE project_members (
  organization_id text NOT NULL,
  project_id text NOT NULL,
  user_id text NOT NULL,
  role text NOT NULL CONSTRAINT project_members_role_check CHECK (role IN ('viewer', 'developer', 'admin')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, project_id, user_id)
);
ALTER TABLE project_members ADD CONSTRAINT project_members_project_fk
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE;
ALTER TABLE project_members ADD CONSTRAINT project_members_user_fk
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE;
CREATE INDEX project_members_of_user ON project_members (organization_id, user_id);
ALTER TABLE project_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON project_members
  USING (organization_id = current_setting('slipway.organization_id', true));
