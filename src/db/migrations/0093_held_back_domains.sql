-- A domain that waits while others of its group are tried, because one of them fails the certificate of all.
ALTER TABLE domains ADD COLUMN is_held_back boolean NOT NULL DEFAULT false;
