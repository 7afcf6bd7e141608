-- When anything of a user last made a request. It stays when the session or the key that made it is gone.
ALTER TABLE users ADD COLUMN last_seen_at timestamptz;
