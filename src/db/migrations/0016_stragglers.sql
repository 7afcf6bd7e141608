-- A removal of which nobody knows the end: its call may still arrive, and take away what is put there next.
ALTER TABLE env_variable_managed_values ADD COLUMN delete_started_at timestamptz;
-- Until then a call from before the last removal may arrive, which no token holds off any more.
ALTER TABLE env_variable_managed_values ADD COLUMN put_not_before timestamptz;
-- A request of which nobody knows the end: until it cannot arrive any more, the certificate of its token is kept.
ALTER TABLE certificates ADD COLUMN request_started_at timestamptz;
