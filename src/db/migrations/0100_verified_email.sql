-- The address that the provider verified at the person's last sign-in. Null: none, or the last sign-in was under an
-- earlier release.
ALTER TABLE identities ADD COLUMN verified_email text;
