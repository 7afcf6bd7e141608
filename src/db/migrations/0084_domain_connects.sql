-- Ways to a DNS provider and back that are not over: one for each who began one for a domain.
CREATE TABLE domain_connects (
  organization_id text NOT NULL,
  domain_id text NOT NULL,
  -- Who may come back: a user.
  started_by text NOT NULL,
  -- Of the text that comes back, which is kept nowhere.
  state_hash bytea NOT NULL,
  provider_name text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, domain_id, started_by)
);
ALTER TABLE domain_connects ADD CONSTRAINT domain_connects_domain_fkey
  FOREIGN KEY (organization_id, domain_id) REFERENCES domains (organization_id, id) ON DELETE CASCADE;
CREATE INDEX domain_connects_expires ON domain_connects (expires_at);
ALTER TABLE domain_connects ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON domain_connects
  USING (organization_id = current_setting('slipway.organization_id', true));
