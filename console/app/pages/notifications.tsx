import { useNavigate } from "@tanstack/react-router";
import { CirclePlay, CircleStop, Pencil } from "lucide-react";
import type { NotificationChannel } from "../../../sdk/src/generated/types.ts";
import { formatReceiver, formatReported, KIND_NAMES } from "../api/notification-rules.ts";
import { readPages, useList } from "../api/query.ts";
import { ActionMenu, type MenuAction } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { deleteItem } from "../components/delete-item.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted, PermittedLink } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { ReceiverStatus } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { deleteChannel, disableChannel, enableChannel } from "./notification-writes.ts";

const COLUMNS: readonly Column<NotificationChannel>[] = [
  {
    label: "Channel",
    cell: ({ id, name }) => <Link to={paths.notification(id)}>{name}</Link>,
    sortBy: ({ name }) => name,
  },
  { label: "Kind", isShort: true, cell: ({ kind }) => KIND_NAMES[kind], sortBy: ({ kind }) => kind },
  { label: "Receiver", cell: (channel) => formatReceiver(channel), sortBy: formatReceiver },
  { label: "Events", cell: (channel) => formatReported(channel) },
  {
    label: "Status",
    isShort: true,
    cell: ({ status, lastSentAt }) => <ReceiverStatus of={status} isUsed={lastSentAt !== null} />,
    sortBy: ({ status }) => status,
  },
  { label: "Last message", isShort: true, cell: ({ lastSentAt }) => <When at={lastSentAt} otherwise="–" /> },
  { label: "", cell: (channel) => <Actions of={channel} /> },
];

/** For a reader who may manage notifications: others do not get the list. */
function Actions({ of: channel }: { readonly of: NotificationChannel }) {
  const navigate = useNavigate();
  const { id, name, status } = channel;
  const turn: MenuAction =
    status === "DISABLED"
      ? { label: "Enable", icon: CirclePlay, write: enableChannel(channel) }
      : { label: "Disable…", icon: CircleStop, write: disableChannel(channel) };
  return (
    <ActionMenu
      of={name}
      actions={[
        { label: "Change", icon: Pencil, onSelect: () => void navigate({ to: paths.editNotification(id) }) },
        turn,
        copyItem("the id", id, "the channel's id"),
        deleteItem(deleteChannel(channel)),
      ]}
    />
  );
}

/** The channels in which people receive messages. */
export function NotificationsPage() {
  return (
    <Page
      title="Notifications"
      lead="Slipway informs people in Slack, Discord, Microsoft Teams or by e-mail when a state changes: a deployment failed, a domain broke or recovered."
      actions={
        <>
          <LinkButton to={paths.myNotifications()}>My e-mail</LinkButton>
          <PermittedLink action="manage notifications" to={paths.newNotification()} isPrimary>
            Add a channel
          </PermittedLink>
        </>
      }
    >
      <Permitted action="manage notifications">
        <Channels />
      </Permitted>
    </Page>
  );
}

function Channels() {
  const list = useList(readPages("notificationChannels", "list", {}), "notificationChannels");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the channels" />;
  if (list.items.length === 0)
    return (
      <Empty
        title="No notification channels yet"
        action={<LinkButton to={paths.newNotification()}>Add the first channel</LinkButton>}
      >
        A channel sends messages to people. You need an incoming webhook of a chat, or email addresses.{" "}
        <DocsLink chapter="Notifications" />
      </Empty>
    );
  return (
    <Table
      caption="Notification channels"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
      filterBy={(channel) => `${channel.name} ${KIND_NAMES[channel.kind]} ${formatReceiver(channel)}`}
    />
  );
}
