-- The channel by which a user gets e-mail at the address of its account; null: a channel of the organization.
ALTER TABLE notification_channels ADD COLUMN user_id text;
-- Of a user's channel: the projects that it reports; null for all that the user sees.
ALTER TABLE notification_channels ADD COLUMN project_ids text[];
