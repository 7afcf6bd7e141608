-- Names of a data store that is being deleted, as its configuration had them; null for other services.
ALTER TABLE service_removals ADD COLUMN config_id text;
ALTER TABLE service_removals ADD COLUMN environment_config_id text;
