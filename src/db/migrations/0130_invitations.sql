-- E-mails that invite people. The rows also limit how many are sent, so they outlive their users, for 30 days.
CREATE TABLE invitations (
  organization_id text NOT NULL,
  id text NOT NULL,
  user_id text NOT NULL,
  -- Where it is sent.
  email text NOT NULL,
  -- The user who asked for it.
  invited_by text NOT NULL,
  status text NOT NULL DEFAULT 'PENDING',
  attempts integer NOT NULL DEFAULT 0,
  -- Of the last attempt; null after a success.
  error_code text,
  -- The mail server's reply to it.
  answer text,
  requested_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX invitations_of_user ON invitations (organization_id, user_id, id);
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON invitations
  USING (organization_id = current_setting('slipway.organization_id', true));
