-- Whether a deployment was requested for its environment only, although others may follow the same branch.
ALTER TABLE deployments ADD COLUMN for_one_environment boolean NOT NULL DEFAULT false;
