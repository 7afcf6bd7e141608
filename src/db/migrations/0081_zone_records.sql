-- Whether Slipway sets the records of a group's domains itself, in DNS zones of its account.
ALTER TABLE domain_certificate_groups ADD COLUMN auto_dns boolean NOT NULL DEFAULT false;
-- What Slipway set for a domain, or began to set, and what prevents it; null before the first of these.
ALTER TABLE domains ADD COLUMN zone_state jsonb;
-- The code of that problem, by which domains are sought.
ALTER TABLE domains ADD COLUMN zone_problem text;
CREATE INDEX domains_zone_problem ON domains (organization_id, id) WHERE zone_problem IS NOT NULL;
