-- The execution of `postDeployCommand`, and how it ended; null without one.
ALTER TABLE deployment_services ADD COLUMN post_deploy jsonb;
