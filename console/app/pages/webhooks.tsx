import type { WebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { tellTypes } from "../api/event-words.ts";
import { useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    label: "Webhook",
    cell: ({ id, description, url }) => (
      <Link to={paths.webhook(id)}>{description === "" ? url : description}</Link>
    ),
  },
  { label: "Address", cell: ({ url }) => <code>{url}</code> },
  { label: "Events", cell: ({ types }) => tellTypes(types) },
  { label: "Health", isShort: true, cell: ({ status }) => <Status of={status} /> },
  {
    label: "Failing since",
    isShort: true,
    cell: ({ failingSince }) => <When at={failingSince} otherwise="–" />,
  },
];

/** The endpoints that receive events from Slipway. */
export function WebhooksPage() {
  const { may } = useCan("manage webhooks");
  return (
    <Page
      title="Webhooks"
      lead="Slipway sends what happens to addresses of yours: a domain is served, a deployment failed, a certificate will expire."
      actions={
        may ? (
          <LinkButton look="primary" to={paths.newWebhook()}>
            Add a webhook
          </LinkButton>
        ) : undefined
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
        A webhook needs an address with https:// that answers within 15 seconds.
      </Empty>
    );
  return (
    <Table
      caption="Webhooks"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
    />
  );
}
