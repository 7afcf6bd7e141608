import { useNavigate } from "@tanstack/react-router";
import { CirclePlay, CircleStop, Pencil, Send } from "lucide-react";
import type { WebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { formatTypes } from "../api/event-words.ts";
import { readPages, useList } from "../api/query.ts";
import { reasonAgainstSending, webhookName } from "../api/webhook-rules.ts";
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
import { deleteWebhook, disableWebhook, enableWebhook } from "./webhook-writes.ts";

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    label: "Webhook",
    cell: (endpoint) => <Link to={paths.webhook(endpoint.id)}>{webhookName(endpoint)}</Link>,
    sortBy: webhookName,
  },
  { label: "Address", cell: ({ url }) => <code>{url}</code>, sortBy: ({ url }) => url },
  { label: "Events", cell: ({ types }) => formatTypes(types) },
  {
    label: "Status",
    isShort: true,
    cell: ({ status, isUsed }) => <ReceiverStatus of={status} isUsed={isUsed} />,
    sortBy: ({ status }) => status,
  },
  {
    label: "Failing since",
    isShort: true,
    cell: ({ failingSince }) => <When at={failingSince} otherwise="–" />,
  },
  { label: "", cell: (endpoint) => <Actions of={endpoint} /> },
];

/** For a reader who may manage webhooks: others do not get the list. */
function Actions({ of: endpoint }: { readonly of: WebhookEndpoint }) {
  const navigate = useNavigate();
  const { id, status } = endpoint;
  const turn: MenuAction =
    status === "DISABLED"
      ? { label: "Enable", icon: CirclePlay, write: enableWebhook(endpoint) }
      : { label: "Disable…", icon: CircleStop, write: disableWebhook(endpoint) };
  return (
    <ActionMenu
      of={webhookName(endpoint)}
      actions={[
        {
          label: "Send a test",
          icon: Send,
          disabledReason: reasonAgainstSending(endpoint),
          write: {
            refreshes: ["webhookEndpoints"],
            work: () => slipway.webhookEndpoints.ping(id),
            said: "Sending a test. The result is on the webhook's page.",
          },
        },
        { label: "Change", icon: Pencil, onSelect: () => void navigate({ to: paths.editWebhook(id) }) },
        turn,
        copyItem("the id", id, "the webhook's id"),
        deleteItem(deleteWebhook(endpoint)),
      ]}
    />
  );
}

/** The endpoints that receive events from Slipway. */
export function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      lead="Slipway sends events to your programs: a domain is served, a deployment failed, a certificate expires soon."
      actions={
        <PermittedLink action="manage webhooks" to={paths.newWebhook()} isPrimary>
          Add a webhook
        </PermittedLink>
      }
    >
      <Permitted action="manage webhooks">
        <Webhooks />
      </Permitted>
    </Page>
  );
}

function Webhooks() {
  const list = useList(readPages("webhookEndpoints", "list", {}), "webhookEndpoints");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the webhooks" />;
  if (list.items.length === 0)
    return (
      <Empty
        title="No webhooks yet"
        action={<LinkButton to={paths.newWebhook()}>Add the first webhook</LinkButton>}
      >
        A webhook informs your chat, your billing or your on-call tool of deployments, domains and
        certificates. You need an address with https:// that answers within 15 seconds.{" "}
        <DocsLink chapter="Webhooks" />
      </Empty>
    );
  return (
    <Table
      caption="Webhooks"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
      filterBy={({ description, url }) => `${description} ${url}`}
    />
  );
}
