-- A service of the type 'previews' gives all previews of a template names below one wildcard. Reads check the type.
ALTER TABLE services DROP CONSTRAINT services_type_check;
-- The address of a preview's service below its template's domain; null: it has a distribution of its own.
ALTER TABLE services ADD COLUMN preview_host text;
-- The distribution that all previews of a template share.
CREATE INDEX distributions_of_previews ON distributions (organization_id, (origin ->> 'environmentId'))
  WHERE origin ->> 'kind' = 'previews';
