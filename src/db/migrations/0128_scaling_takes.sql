-- The last number of instances that the platform took, and how many it took so far. An observation that began before
-- the last one may have the number from before.
ALTER TABLE services ADD COLUMN scaling_taken integer;
ALTER TABLE services ADD COLUMN scaling_takes integer NOT NULL DEFAULT 0;
