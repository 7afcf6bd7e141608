-- How an organization's share links look. A column is null while the installation's setting holds; an organization
-- without a row has set nothing.
CREATE TABLE brandings (
  organization_id text NOT NULL,
  name text,
  -- #rrggbb
  accent_color text,
  logo bytea,
  logo_type text,
  -- SHA-256 of the organization's id and the logo, in hexadecimal: the name in its address.
  logo_hash text,
  logo_width integer,
  logo_height integer,
  PRIMARY KEY (organization_id)
);
ALTER TABLE brandings ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON brandings
  USING (organization_id = current_setting('slipway.organization_id', true));
