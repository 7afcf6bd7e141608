-- When the git host was last asked whether it accepts the token; null since the token was set, which tries it.
ALTER TABLE git_integrations ADD COLUMN last_check_at timestamptz;
-- What that found wrong, with the token or with the host.
ALTER TABLE git_integrations ADD COLUMN last_check_error jsonb;
-- As the host said when it last answered: one that is away refuses nothing.
ALTER TABLE git_integrations ADD COLUMN is_token_refused boolean NOT NULL DEFAULT false;
-- When the token is tried again; null: a day after it was set.
ALTER TABLE git_integrations ADD COLUMN check_due_at timestamptz;
