CREATE TABLE distributions (
  organization_id text NOT NULL REFERENCES organizations,
  -- Also the provider's caller reference, so that a creation whose answer was lost is found.
  id text NOT NULL,
  -- Null once the service is gone and only the cloud's side is left to remove.
  service_id text,
  aws_account_id text NOT NULL,
  is_default boolean NOT NULL,
  is_wanted boolean NOT NULL DEFAULT true,
  origin jsonb NOT NULL,
  -- Set before the first call that may create it.
  requested_at timestamptz,
  provider_id text,
  domain_name text,
  last_error jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, aws_account_id) REFERENCES aws_accounts (organization_id, id)
);
CREATE UNIQUE INDEX distributions_default ON distributions (organization_id, service_id) WHERE is_default AND is_wanted;

CREATE TABLE domain_certificate_groups (
  organization_id text NOT NULL,
  id text NOT NULL,
  service_id text NOT NULL,
  distribution_id text NOT NULL,
  name text NOT NULL,
  is_default_cdn boolean NOT NULL,
  status text NOT NULL,
  is_deleting boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT domain_groups_service_fk FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);
CREATE UNIQUE INDEX domain_groups_default ON domain_certificate_groups (organization_id, service_id) WHERE is_default_cdn;
CREATE INDEX domain_groups_service ON domain_certificate_groups (organization_id, service_id, id);
CREATE INDEX domain_groups_distribution ON domain_certificate_groups (organization_id, distribution_id);

CREATE TABLE certificates (
  organization_id text NOT NULL,
  -- Also the provider's idempotency token: one row is one attempt.
  id text NOT NULL,
  group_id text NOT NULL,
  names text[] NOT NULL,
  status text NOT NULL,
  provider_id text,
  requested_at timestamptz,
  validation_deadline_at timestamptz,
  issued_at timestamptz,
  expires_at timestamptz,
  renewal_status text,
  is_abandoned boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, group_id) REFERENCES domain_certificate_groups (organization_id, id)
);
CREATE INDEX certificates_group ON certificates (organization_id, group_id);

CREATE TABLE domains (
  organization_id text NOT NULL,
  id text NOT NULL,
  group_id text NOT NULL,
  svc_attachment_id text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  is_wanted boolean NOT NULL DEFAULT true,
  last_attachment_error jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, group_id) REFERENCES domain_certificate_groups (organization_id, id),
  CONSTRAINT domains_name_key UNIQUE (organization_id, name)
);
CREATE INDEX domains_group ON domains (organization_id, group_id, id);

CREATE TABLE dns_records (
  organization_id text NOT NULL,
  id text NOT NULL,
  domain_id text NOT NULL,
  purpose text NOT NULL,
  type text NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  status text NOT NULL,
  last_check_at timestamptz,
  last_check_value text,
  last_check_error jsonb,
  next_check_at timestamptz NOT NULL DEFAULT now(),
  -- Since when it waits in its present status; young ones are looked at more often.
  since timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, domain_id) REFERENCES domains (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT dns_records_purpose_key UNIQUE (organization_id, domain_id, purpose)
);
CREATE INDEX dns_records_next_check ON dns_records (next_check_at);

-- Who proved control of a name first. One row for a name in the whole installation: organization_id
-- says whose it is, and nothing of it is shown to others.
CREATE TABLE proven_names (
  name text PRIMARY KEY,
  organization_id text NOT NULL,
  domain_id text NOT NULL,
  proven_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (organization_id, domain_id) REFERENCES domains (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX proven_names_domain ON proven_names (organization_id, domain_id);
