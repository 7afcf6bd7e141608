-- What happened, for those who want to be told. A change writes its event into the outbox, in its own transaction. A
-- sweep moves what is committed into `events` and numbers it, for each organization without gaps: a number that was
-- given before the commit would let readers of "everything after 7" miss a 6 that commits later.
-- `position` is given after the lock on the changed row, so events of one subject have it in the order of their changes.
CREATE TABLE event_outbox (
  organization_id text NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  project_id text,
  environment_id text,
  service_id text,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  request_id text NOT NULL,
  data jsonb NOT NULL,
  -- The oldest are taken first, whoever they belong to.
  PRIMARY KEY (position, organization_id)
);

-- The last number that an organization's events have. Whoever numbers them holds this row.
CREATE TABLE event_heads (
  organization_id text PRIMARY KEY,
  last bigint NOT NULL DEFAULT 0
);

CREATE TABLE events (
  organization_id text NOT NULL,
  sequence bigint NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  project_id text,
  environment_id text,
  service_id text,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  request_id text NOT NULL,
  data jsonb NOT NULL,
  numbered_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, sequence)
);
CREATE INDEX events_subject ON events (organization_id, subject_id, sequence);
CREATE INDEX events_numbered_at ON events (numbered_at);

ALTER TABLE event_outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON event_outbox
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE event_heads ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON event_heads
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON events
  USING (organization_id = current_setting('slipway.organization_id', true));
