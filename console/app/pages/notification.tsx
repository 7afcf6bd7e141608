import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { NotificationChannel, NotificationTest } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import {
  describeChannelHealth,
  formatReceiver,
  formatReported,
  KIND_NAMES,
} from "../api/notification-rules.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { CopyIdMenu } from "../components/copy-id-menu.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { EnvironmentLink, ProjectLink } from "../components/place-links.tsx";
import { Notice } from "../components/problem.tsx";
import { ReceiverStatus } from "../components/status.tsx";
import { TestResult } from "../components/test-result.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Facts, Row, Section, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { deleteChannel, disableChannel, enableChannel } from "./notification-writes.ts";

/** One notification channel: its status, its last error, and a test. */
export function NotificationPage() {
  const { channelId } = useParams({ from: "/shell/notifications/$channelId" });
  const reading = read("notificationChannels", "get", channelId);
  const channel = useRead(reading);
  const { reason } = useCan("manage notifications");
  const [test, setTest] = useState<NotificationTest | null>(null);
  useFollow(reading, (options) => slipway.notificationChannels.watch(channelId, options));
  return (
    <Page
      title={channel.name}
      crumbs={[["Notifications", paths.notifications()]]}
      beside={<ReceiverStatus of={channel.status} isUsed={channel.lastSentAt !== null} />}
      actions={
        <>
          <ActionButton
            label="Send a test"
            look="primary"
            disabledReason={reason}
            work={() => slipway.notificationChannels.test(channelId)}
            refreshes={["notificationChannels"]}
            onDone={setTest}
          />
          <LinkButton to={paths.editNotification(channelId)}>Change</LinkButton>
          <EnableButton channel={channel} reason={reason} />
          <CopyIdMenu of="this channel" id={channelId} what="the channel's id" />
        </>
      }
    >
      <Stack>
        {test === null ? null : <TestResult test={test} />}
        <Health channel={channel} />
        <ChannelFacts channel={channel} />
      </Stack>
      <Section title="Delete">
        <p>The receiver gets no further messages.</p>
        <Row>
          <DeleteButton channel={channel} reason={reason} />
        </Row>
      </Section>
    </Page>
  );
}

function Health({ channel }: { readonly channel: NotificationChannel }) {
  const { status, failingSince, lastError } = channel;
  const health = describeChannelHealth(channel);
  if (health === null && lastError === null) return null;
  return (
    <Notice title={health ?? "The last message was not accepted."} isBad={status === "FAILING"}>
      {failingSince === null ? null : (
        <p>
          The first failure was <When at={failingSince} />.
        </p>
      )}
      {lastError === null ? null : (
        <p>
          {lastError.message} {lastError.action}
          {lastError.answer === null || lastError.answer === "" ? null : (
            <>
              {" "}
              Its answer: <code>{lastError.answer}</code>
            </>
          )}
        </p>
      )}
    </Notice>
  );
}

function ChannelFacts({ channel }: { readonly channel: NotificationChannel }) {
  const { kind, projectId, environmentId, lastSentAt, createdAt } = channel;
  return (
    <Facts
      of={[
        ["Kind", KIND_NAMES[kind]],
        ["Receiver", formatReceiver(channel)],
        ["Events", formatReported(channel)],
        ["Project", projectId === null ? "All" : <ProjectLink id={projectId} />],
        ["Environment", environmentId === null ? null : <EnvironmentLink id={environmentId} />],
        ["Last message", <When at={lastSentAt} otherwise="None yet" />],
        ["Added", <When at={createdAt} />],
      ]}
    />
  );
}

type Part = { readonly channel: NotificationChannel; readonly reason: string | null };

function EnableButton({ channel, reason }: Part) {
  if (channel.status === "DISABLED")
    return <ActionButton {...enableChannel(channel)} label="Enable" disabledReason={reason} />;
  const { question, ...write } = disableChannel(channel);
  return <ConfirmButton {...question} {...write} label="Disable" look="normal" disabledReason={reason} />;
}

function DeleteButton({ channel, reason }: Part) {
  const navigate = useNavigate();
  const { question, ...write } = deleteChannel(channel);
  return (
    <ConfirmButton
      {...question}
      {...write}
      label="Delete the channel"
      disabledReason={reason}
      onDone={() => navigate({ to: paths.notifications() })}
    />
  );
}
