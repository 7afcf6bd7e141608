-- How many domains an organization had on a day, by what they waited for: the last count of that day.
CREATE TABLE domain_days (
  organization_id text NOT NULL,
  day date NOT NULL,
  attached integer NOT NULL,
  in_error integer NOT NULL,
  awaiting_records integer NOT NULL,
  in_progress integer NOT NULL,
  PRIMARY KEY (organization_id, day)
);
CREATE INDEX domain_days_day ON domain_days (day);
ALTER TABLE domain_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON domain_days
  USING (organization_id = current_setting('slipway.organization_id', true));
