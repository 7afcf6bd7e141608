-- What variables that were set with the API have been, in the order in which they took effect. A managed value has a
-- row once it is stored; the value itself is never here. Rows refer to no environment or service: that would be checked
-- at each write. They are deleted together with these.
CREATE TABLE env_variable_versions (
  organization_id text NOT NULL,
  scope_id text NOT NULL,
  name text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  -- What clients call it by. All variables of one write have the same.
  version text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  -- Null for what was set before this table was there.
  user_id text,
  api_key_id text,
  request_id text,
  -- Null: the variable was deleted.
  kind text,
  plain_value text,
  reference text,
  linked_service_id text,
  linked_property text,
  PRIMARY KEY (organization_id, scope_id, name, generation)
);
-- For the sweep. Rows come in the order of time.
CREATE INDEX env_variable_versions_at ON env_variable_versions USING brin (at);
-- For what is deleted since a release.
CREATE INDEX env_variable_versions_deletions ON env_variable_versions (organization_id, scope_id, at) WHERE kind IS NULL;
ALTER TABLE env_variable_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON env_variable_versions
  USING (organization_id = current_setting('slipway.organization_id', true));

INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, at, kind, plain_value, reference,
                                   linked_service_id, linked_property)
SELECT organization_id, scope_id, name, generation, 'ver_00000000000000000000000000', updated_at, kind, plain_value,
       reference, linked_service_id, linked_property
  FROM env_variables WHERE source = 'api';

-- Who sent the managed values of a run; null in runs of the release before.
ALTER TABLE env_variable_runs
  ADD COLUMN user_id text,
  ADD COLUMN api_key_id text,
  ADD COLUMN request_id text;
