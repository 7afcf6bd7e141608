-- Workers claim deliveries of webhooks apart from the rest, so each of the two pools finds its ready rows by an index.
DROP INDEX reconciliations_ready;
CREATE INDEX reconciliations_ready_work
  ON reconciliations (rank, (coalesce(aws_account_id, organization_id) COLLATE "C"), due_at)
  WHERE state = 'ready' AND kind <> 'webhook-endpoint';
CREATE INDEX reconciliations_ready_deliveries
  ON reconciliations (rank, (coalesce(aws_account_id, organization_id) COLLATE "C"), due_at)
  WHERE state = 'ready' AND kind = 'webhook-endpoint';

-- Where an organization wants its events to be sent. There is no row for an event that was not sent yet: `cursor` says
-- how far the endpoint is in `events`.
CREATE TABLE webhook_endpoints (
  organization_id text NOT NULL,
  id text NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  -- As given: `domain.*` also stands for types that are declared later.
  types text[] NOT NULL,
  project_id text,
  environment_id text,
  max_per_second integer,
  header_names text[] NOT NULL,
  sealed_headers bytea,
  sealed_secret bytea NOT NULL,
  -- Signs too until then.
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  status text NOT NULL DEFAULT 'HEALTHY',
  disabled_reason text,
  cursor bigint NOT NULL,
  -- The last event up to `cursor` that matched the filter.
  matched bigint,
  -- In a row, and when the first of them was.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- Nothing is sent before, except what was asked for by hand.
  resume_at timestamptz,
  -- A replay of the events after `replay_cursor`; null if there is none.
  replay_cursor bigint,
  replay_through bigint,
  replay_types text[],
  replay_of_failed boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);

-- An event that was sent to an endpoint, or is just being sent.
CREATE TABLE webhook_deliveries (
  organization_id text NOT NULL,
  endpoint_id text NOT NULL,
  id text NOT NULL,
  -- Null for a ping whose event has no number yet.
  sequence bigint,
  event_id text,
  event_type text NOT NULL,
  subject_id text NOT NULL,
  previous_sequence bigint,
  trigger text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- The attempts that count for the schedule; probes of a failing endpoint do not.
  spent integer NOT NULL DEFAULT 0,
  -- Whether it is still to be sent, or `holds`.
  is_open boolean NOT NULL,
  -- Whether later events of its subject were passed over because of it.
  holds boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX webhook_deliveries_event ON webhook_deliveries (organization_id, endpoint_id, sequence);
CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (organization_id, endpoint_id, id);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (organization_id, endpoint_id, next_attempt_at, sequence)
  WHERE is_open;
CREATE INDEX webhook_deliveries_open_subject ON webhook_deliveries (organization_id, endpoint_id, subject_id)
  WHERE is_open;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (organization_id, endpoint_id, sequence)
  WHERE status = 'FAILED';
CREATE INDEX webhook_deliveries_created_at ON webhook_deliveries (created_at);

-- Written before it is sent: without `ended_at`, its worker ended in between, and its outcome is unknown.
CREATE TABLE webhook_attempts (
  organization_id text NOT NULL,
  delivery_id text NOT NULL,
  number integer NOT NULL,
  trigger text NOT NULL,
  url text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  address text,
  dns_ms double precision,
  connect_ms double precision,
  tls_ms double precision,
  first_byte_ms double precision,
  total_ms double precision,
  status integer,
  response_headers jsonb,
  response_body text,
  is_cut boolean,
  error_code text,
  next_attempt_at timestamptz,
  PRIMARY KEY (organization_id, delivery_id, number)
);
CREATE INDEX webhook_attempts_started_at ON webhook_attempts (started_at);
CREATE INDEX webhook_attempts_body ON webhook_attempts (started_at) WHERE response_body IS NOT NULL;

ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON webhook_endpoints
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON webhook_deliveries
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON webhook_attempts
  USING (organization_id = current_setting('slipway.organization_id', true));
