-- Messages wait for receivers, as deliveries of webhooks do: the pool of deliveries claims both.
CREATE INDEX reconciliations_ready_messages
  ON reconciliations (rank, (coalesce(aws_account_id, organization_id) COLLATE "C"), due_at)
  WHERE state = 'ready' AND kind IN ('webhook-endpoint', 'notification-channel');

-- Where people of an organization receive messages. `cursor` says how far the channel is in `events`.
CREATE TABLE notification_channels (
  organization_id text NOT NULL,
  id text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  -- The host of the sealed URL; null for e-mail.
  host text,
  sealed_url bytea,
  recipients text[],
  -- As given; null for the default set.
  types text[],
  project_id text,
  environment_id text,
  cursor bigint NOT NULL,
  status text NOT NULL DEFAULT 'HEALTHY',
  disabled_reason text,
  -- In a row, and when the first of them was.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  resume_at timestamptz,
  last_sent_at timestamptz,
  -- Of the last attempt; null after a success.
  error_code text,
  answer text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);

-- One condition of one resource: the state that the channel was informed of, and the state that it is in.
CREATE TABLE notification_topics (
  organization_id text NOT NULL,
  channel_id text NOT NULL,
  key text NOT NULL,
  announced text,
  -- Null if the channel is informed.
  pending text,
  -- The event that led to it, and its type.
  sequence bigint,
  type text,
  -- Topics of one group make one message.
  group_key text NOT NULL,
  pending_since timestamptz,
  pending_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, channel_id, key)
);
CREATE INDEX notification_topics_pending ON notification_topics (organization_id, channel_id, sequence)
  WHERE pending IS NOT NULL;
CREATE INDEX notification_topics_changed_at ON notification_topics (changed_at);

-- When a channel was last informed of a group.
CREATE TABLE notification_groups (
  organization_id text NOT NULL,
  channel_id text NOT NULL,
  group_key text NOT NULL,
  announced_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, channel_id, group_key)
);
CREATE INDEX notification_groups_announced_at ON notification_groups (announced_at);

ALTER TABLE notification_channels ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON notification_channels
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE notification_topics ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON notification_topics
  USING (organization_id = current_setting('slipway.organization_id', true));
ALTER TABLE notification_groups ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON notification_groups
  USING (organization_id = current_setting('slipway.organization_id', true));
