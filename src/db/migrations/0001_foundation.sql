-- Organizations, users, keys, the audit trail, idempotency, and what is due.
-- Every table carries organization_id, and foreign keys are composite, so that no row can refer to
-- another organization's.

CREATE TABLE organizations (
  organization_id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
  organization_id text NOT NULL REFERENCES organizations,
  id text NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'developer', 'admin')),
  git_login text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT users_email_key UNIQUE (organization_id, email)
);

CREATE TABLE api_keys (
  organization_id text NOT NULL,
  id text NOT NULL,
  user_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  hash bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT api_keys_hash_key UNIQUE (hash)
);
CREATE INDEX api_keys_user ON api_keys (organization_id, user_id);

CREATE TABLE audit_entries (
  organization_id text NOT NULL REFERENCES organizations,
  id text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  user_id text NOT NULL,
  api_key_id text NOT NULL,
  action text NOT NULL,
  resource_id text NOT NULL,
  request_id text NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE idempotency_keys (
  organization_id text NOT NULL REFERENCES organizations,
  key text NOT NULL,
  fingerprint text NOT NULL,
  -- The whole first answer, sealed: it may hold a new API key.
  answer bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, key)
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);

CREATE TABLE reconciliations (
  organization_id text NOT NULL REFERENCES organizations,
  kind text NOT NULL,
  entity_id text NOT NULL,
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  pokes integer NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, entity_id)
);
CREATE INDEX reconciliations_due_at ON reconciliations (due_at);
