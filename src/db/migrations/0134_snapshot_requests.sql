-- The user who asked for a snapshot; null for the last one of a data store.
ALTER TABLE snapshots ADD COLUMN requested_by text;
