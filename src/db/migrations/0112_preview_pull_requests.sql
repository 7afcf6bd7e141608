-- The number of a preview's pull request; null if a client asked for the preview, and in other environments.
ALTER TABLE environments ADD COLUMN pull_request integer;
