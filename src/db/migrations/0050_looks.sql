-- When a record is looked at follows from its id and its age (records/turns.ts), so a look that finds nothing new writes
-- nothing. `look_at` asks for a look out of turn: of a new record, after a look that failed, or, with '-infinity', by a
-- client. `next_check_at`, by which the release before takes records, is left as it is.
ALTER TABLE dns_records ADD COLUMN look_at timestamptz;
ALTER TABLE dns_records ALTER COLUMN look_at SET DEFAULT now();
CREATE INDEX dns_records_look_at ON dns_records (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX dns_records_since ON dns_records (since);
CREATE INDEX dns_records_turn ON dns_records (((hashtext(id) & 2147483647) % 3600000));

-- The workers that look at records. They divide the records among those that were seen a moment ago.
CREATE TABLE dns_lookers (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- All of its looks that were to be made before this were made.
  looked_until timestamptz NOT NULL
);
