CREATE TABLE aws_accounts (
  organization_id text NOT NULL REFERENCES organizations,
  id text NOT NULL,
  given_id text NOT NULL,
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('AWAITING_CONNECTION', 'CONNECTED', 'DISCONNECTED')),
  -- What the customer's stack says of itself; believed only once it is verified.
  reported_account_id text,
  reported_role_arn text,
  connected_aws_account_id text,
  role_arn text,
  check_requested_at timestamptz,
  last_check_at timestamptz,
  last_check_error jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT aws_accounts_id_key UNIQUE (id),
  CONSTRAINT aws_accounts_given_id_key UNIQUE (organization_id, given_id)
);

CREATE TABLE git_integrations (
  organization_id text NOT NULL REFERENCES organizations,
  id text NOT NULL,
  provider text NOT NULL CHECK (provider IN ('provider_a', 'provider_b', 'provider_b_self_hosted')),
  -- Empty where the provider has one host.
  host text NOT NULL,
  sealed_token bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT git_integrations_host_key UNIQUE (organization_id, provider, host)
);
