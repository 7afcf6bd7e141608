-- How many instances a client asked for, until the platform has taken the number; and why it did not take the last one.
ALTER TABLE services ADD COLUMN scaling_count integer;
ALTER TABLE services ADD COLUMN scaling_problem text;

-- Requests to remove answers of a service from the caches of its distributions.
CREATE TABLE invalidations (
  organization_id text NOT NULL,
  id text NOT NULL,
  service_id text NOT NULL,
  paths text[] NOT NULL,
  status text NOT NULL,
  error jsonb,
  -- The provider's ids of the removals, by the provider's ids of the distributions; null until they are requested.
  parts jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX invalidations_ended_at ON invalidations (ended_at);

ALTER TABLE invalidations ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON invalidations
  USING (organization_id = current_setting('slipway.organization_id', true));
