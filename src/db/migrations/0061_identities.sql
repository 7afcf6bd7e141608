-- Who a user is at identity providers: issuer and subject, which never change. Addresses and names do.
CREATE TABLE identities (
  organization_id text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, issuer, subject)
);
ALTER TABLE identities ADD CONSTRAINT identities_user_fkey
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE;
CREATE INDEX identities_user ON identities (organization_id, user_id);
ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON identities
  USING (organization_id = current_setting('slipway.organization_id', true));
