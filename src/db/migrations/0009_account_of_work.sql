-- The cloud account that the work goes to: it has a share of the workers, and what waits for it goes on when it
-- answers again. Null where no account is used, and for what was there before.
ALTER TABLE reconciliations ADD COLUMN aws_account_id text;
CREATE INDEX reconciliations_failing ON reconciliations (organization_id, aws_account_id, due_at) WHERE attempts > 0;
