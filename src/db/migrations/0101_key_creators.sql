-- Who created a key. Null: the operator, or an earlier release.
ALTER TABLE api_keys ADD COLUMN created_by text;
