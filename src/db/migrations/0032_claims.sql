-- Workers claim rows of `reconciliations` themselves; there is no other queue. A row is
--   waiting: nobody looks at it before `due_at`
--   ready:   the next free worker may claim it; `due_at` is when it became due
--   claimed: a worker has it until `due_at`, and holds it longer by moving `due_at`
-- `claim` counts the claims: a result counts only from the claim that is the last.
-- The smallest `rank` goes first.
ALTER TABLE reconciliations
  ADD COLUMN state text NOT NULL DEFAULT 'waiting',
  ADD COLUMN claim integer NOT NULL DEFAULT 0,
  ADD COLUMN rank smallint NOT NULL DEFAULT 2;

-- `reconciliations_due_at` stays for workers of the release before.
CREATE INDEX reconciliations_not_ready ON reconciliations (due_at) WHERE state <> 'ready';
-- By lane: the cloud account that the work goes to, or the organization where it uses none.
CREATE INDEX reconciliations_ready
  ON reconciliations (rank, (coalesce(aws_account_id, organization_id) COLLATE "C"), due_at) WHERE state = 'ready';
