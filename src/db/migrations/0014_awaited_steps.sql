-- Somebody waits for what comes of the next step: it goes before those of what is only looked at again.
ALTER TABLE reconciliations ADD COLUMN is_awaited boolean NOT NULL DEFAULT false;
