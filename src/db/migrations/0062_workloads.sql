-- Programs that run elsewhere, such as CI jobs, whose platform signs who they are; and the tokens that they get here.
CREATE TABLE workload_trusts (
  organization_id text NOT NULL,
  id text NOT NULL,
  -- The service account as which the workload acts.
  user_id text NOT NULL,
  name text NOT NULL,
  issuer text NOT NULL,
  audience text NOT NULL,
  -- Claims and what they must be.
  conditions jsonb NOT NULL,
  scopes text[] NOT NULL,
  project_ids text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE workload_trusts ADD CONSTRAINT workload_trusts_user_fkey
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE;
CREATE INDEX workload_trusts_user ON workload_trusts (organization_id, user_id);
ALTER TABLE workload_trusts ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON workload_trusts
  USING (organization_id = current_setting('slipway.organization_id', true));

CREATE TABLE workload_tokens (
  organization_id text NOT NULL,
  id text NOT NULL,
  trust_id text NOT NULL,
  -- SHA-256 of the token.
  hash bytea NOT NULL,
  -- What the platform said of the workload, for audit entries.
  subject text NOT NULL,
  repository text,
  ref text,
  run_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT workload_tokens_hash_key UNIQUE (organization_id, hash)
);
ALTER TABLE workload_tokens ADD CONSTRAINT workload_tokens_trust_fkey
  FOREIGN KEY (organization_id, trust_id) REFERENCES workload_trusts (organization_id, id) ON DELETE CASCADE;
CREATE INDEX workload_tokens_trust ON workload_tokens (organization_id, trust_id, id);
CREATE INDEX workload_tokens_expires ON workload_tokens (expires_at);
ALTER TABLE workload_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON workload_tokens
  USING (organization_id = current_setting('slipway.organization_id', true));
