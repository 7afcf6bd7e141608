-- How visitors pass the gates of a template's previews. Made with the first preview or bypass secret.
CREATE TABLE preview_access (
  organization_id text NOT NULL,
  -- The template, an environment.
  id text NOT NULL,
  -- Signs tickets and cookies.
  sealed_key bytea NOT NULL,
  -- SHA-256 of the bypass secret; null: there is none.
  bypass_hash text,
  bypass_set_at timestamptz,
  -- The access for which its distributions were last enqueued; null before that.
  announced text,
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE preview_access ADD CONSTRAINT preview_access_environment_fkey
  FOREIGN KEY (organization_id, id) REFERENCES environments (organization_id, id) ON DELETE CASCADE;
ALTER TABLE preview_access ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON preview_access
  USING (organization_id = current_setting('slipway.organization_id', true));
