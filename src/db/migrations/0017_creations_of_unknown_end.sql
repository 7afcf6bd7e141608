-- A creation of which nobody knows the end: until it cannot arrive any more, the distribution of its token is kept.
ALTER TABLE distributions ADD COLUMN create_started_at timestamptz;
