-- The zone of a domain and the name servers that it is delegated to, as last found in the DNS; null before that.
ALTER TABLE domains ADD COLUMN delegation jsonb;
-- Whether whoever serves that zone has nothing that could lead an apex to a distribution.
ALTER TABLE domains ADD COLUMN is_apex_refused boolean NOT NULL DEFAULT false;
CREATE INDEX domains_apex_refused ON domains (organization_id, id) WHERE is_apex_refused;
