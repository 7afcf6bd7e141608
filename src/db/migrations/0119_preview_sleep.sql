-- A preview without requests sleeps. Reads check the state.
ALTER TABLE previews DROP CONSTRAINT previews_state_check;
-- Since when its processes are stopped; null if they are not.
ALTER TABLE previews ADD COLUMN sleeping_since timestamptz;
