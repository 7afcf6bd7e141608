-- When the token was last replaced; null while it is the one that the integration was created with.
ALTER TABLE git_integrations ADD COLUMN token_set_at timestamptz;
