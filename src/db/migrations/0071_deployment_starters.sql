-- The user, or for a push the git integration; null in deployments of earlier releases.
ALTER TABLE deployments ADD COLUMN started_by text;
