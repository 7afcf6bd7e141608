-- Sessions, which people sign in to; keys that expire and say when they were used; users that are programs.
CREATE TABLE sessions (
  organization_id text NOT NULL,
  id text NOT NULL,
  user_id text NOT NULL,
  -- SHA-256 of the token in the cookie.
  hash bytea NOT NULL,
  -- The API key that was exchanged for it; null after a sign-in at an identity provider.
  api_key_id text,
  -- The identity provider; null after an exchange.
  provider text,
  source_address text,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT sessions_hash_key UNIQUE (organization_id, hash)
);
ALTER TABLE sessions ADD CONSTRAINT sessions_user_fkey
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE;
ALTER TABLE sessions ADD CONSTRAINT sessions_api_key_fkey
  FOREIGN KEY (organization_id, api_key_id) REFERENCES api_keys (organization_id, id) ON DELETE CASCADE;
CREATE INDEX sessions_user ON sessions (organization_id, user_id);
CREATE INDEX sessions_api_key ON sessions (organization_id, api_key_id);
CREATE INDEX sessions_last_seen ON sessions (last_seen_at);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON sessions
  USING (organization_id = current_setting('slipway.organization_id', true));

ALTER TABLE api_keys ADD COLUMN expires_at timestamptz, ADD COLUMN last_used_at timestamptz;
-- `person` or `service`: a program, which does not sign in and has no email address of its own.
ALTER TABLE users ADD COLUMN kind text NOT NULL DEFAULT 'person';
