-- How far the calls of a cloud's API have used up an account's pace there, for all processes together. Belongs to
-- no organization: two that connected one account share its pace. A crash that empties it costs a burst.
CREATE UNLOGGED TABLE call_buckets (
  key text PRIMARY KEY,
  full_at timestamptz NOT NULL
) WITH (fillfactor = 70);
