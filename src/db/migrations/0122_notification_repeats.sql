-- How many messages about a group followed another within two hours: a cause that spreads gets fewer messages.
ALTER TABLE notification_groups ADD COLUMN repeats integer NOT NULL DEFAULT 0;
