-- What an API key is limited to. Null: nothing, as with all keys of earlier releases.
ALTER TABLE api_keys ADD COLUMN scopes text[];
ALTER TABLE api_keys ADD COLUMN project_ids text[];
