-- When a record was last found as it must be: one that was and is no more is warned of.
ALTER TABLE dns_records ADD COLUMN last_ok_at timestamptz;
UPDATE dns_records SET last_ok_at = last_check_at WHERE status = 'OK';

-- A certificate for names that are all served already was refused; no other is requested before this.
ALTER TABLE domain_certificate_groups ADD COLUMN replace_not_before timestamptz;

-- Names overlap only below one parent: `*.example.com` with `a.example.com`.
ALTER TABLE proven_names ADD COLUMN parent text NOT NULL GENERATED ALWAYS AS (substring(name FROM position('.' IN name) + 1)) STORED;
CREATE INDEX proven_names_parent ON proven_names (parent);
