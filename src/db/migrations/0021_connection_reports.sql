-- The only account that may connect; null: any that proves its role.
ALTER TABLE aws_accounts ADD COLUMN expected_aws_account_id text;
-- A call was denied since the last check. All denials until the next check have that one check in common.
ALTER TABLE aws_accounts ADD COLUMN suspected_at timestamptz;
-- An admin has seen the refused reports of before.
ALTER TABLE aws_accounts ADD COLUMN reports_seen_at timestamptz;

-- What stacks said of themselves, each checked by itself. Anyone may write here who knows the connection's id, so a
-- connection has few of them (`connection-report.ts`).
CREATE TABLE aws_account_reports (
  organization_id text NOT NULL,
  connection_id text NOT NULL,
  account_id text NOT NULL,
  role_arn text NOT NULL,
  first_reported_at timestamptz NOT NULL DEFAULT now(),
  reported_at timestamptz NOT NULL DEFAULT now(),
  last_check_at timestamptz,
  last_check_error jsonb,
  -- When the refusal was written down in the audit trail; null while it may still be believed.
  refused_at timestamptz,
  PRIMARY KEY (organization_id, connection_id, account_id, role_arn),
  FOREIGN KEY (organization_id, connection_id) REFERENCES aws_accounts (organization_id, id) ON DELETE CASCADE
);
ALTER TABLE aws_account_reports ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON aws_account_reports
  USING (organization_id = current_setting('slipway.organization_id', true));
