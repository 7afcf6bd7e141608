-- Pages without sign-in that show the owner of a group's domains which DNS records to set.
CREATE TABLE share_links (
  organization_id text NOT NULL,
  id text NOT NULL,
  group_id text NOT NULL,
  -- SHA-256 of the token in the link's address; the token itself is kept nowhere.
  hash bytea NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- When it was opened for the first time.
  opened_at timestamptz,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT share_links_hash_key UNIQUE (organization_id, hash)
);
ALTER TABLE share_links ADD CONSTRAINT share_links_group_fkey
  FOREIGN KEY (organization_id, group_id) REFERENCES domain_certificate_groups (organization_id, id) ON DELETE CASCADE;
CREATE INDEX share_links_group ON share_links (organization_id, group_id, id);
CREATE INDEX share_links_expires ON share_links (expires_at);
ALTER TABLE share_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON share_links
  USING (organization_id = current_setting('slipway.organization_id', true));
