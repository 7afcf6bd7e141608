-- The service that a deployment restarts with what it runs; null: it deploys a commit. Its trigger is 'restart' then.
ALTER TABLE deployments ADD COLUMN restarted_service_id text;
