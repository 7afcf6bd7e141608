import { useSearch } from "@tanstack/react-router";
import { Send } from "lucide-react";
import type { WebhookDelivery } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { EVENT_TYPES } from "../api/event-types.ts";
import { useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { formatAnswer, redeliveryLabel, formatTrigger } from "../api/webhook-rules.ts";
import { ActionMenu } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { DeliveryStatus } from "../components/delivery-status.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Empty, Skeleton, Stack } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { usePendingDelivery } from "./webhook-pending.ts";

/** The deliveries of a webhook, newest first, filtered by the address. */
export function Deliveries({ endpointId }: { readonly endpointId: string }) {
  const search = useSearch({ from: "/shell/webhooks/$endpointId" });
  const list = useList(
    readPages("webhookEndpoints", "listDeliveries", endpointId, { order: "desc", ...search }),
    "deliveries",
  );
  usePendingDelivery(endpointId, list.items);
  const { isFiltered, count, clear, field } = useFilter(search);
  return (
    <Stack>
      <Filters label="Filter the deliveries" count={count}>
        <SelectField
          label="Outcome"
          options={[
            ["", "Any"],
            ["FAILED", "Failed"],
            ["PENDING", "Waiting"],
            ["DELIVERED", "Delivered"],
          ]}
          {...field("status")}
        />
        <FilterText
          label="Type of event"
          placeholder="deployment.failed"
          choices={EVENT_TYPES}
          {...field("type")}
        />
      </Filters>
      {list.error === null ? null : <Problem error={list.error} />}
      {list.items === undefined ? (
        list.error === null ? (
          <Skeleton lines={5} label="Loading the deliveries" />
        ) : null
      ) : list.items.length > 0 ? (
        <DeliveryTable endpointId={endpointId} rows={list.items} more={moreOf(list)} />
      ) : isFiltered ? (
        <Empty title="No delivery matches" action={<Button onClick={clear}>Clear the filter</Button>} />
      ) : (
        <Empty title="No deliveries yet">
          Each event that is sent is listed here with its answer. Send a test to see whether the receiver
          answers. <DocsLink chapter="Webhooks" />
        </Empty>
      )}
    </Stack>
  );
}

function DeliveryTable({
  endpointId,
  rows,
  more,
}: {
  readonly endpointId: string;
  readonly rows: readonly WebhookDelivery[];
  readonly more: ReturnType<typeof moreOf>;
}) {
  const { reason } = useCan("manage webhooks");
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      label: "Event",
      cell: ({ id, eventType }) => <Link to={paths.delivery(endpointId, id)}>{eventType}</Link>,
    },
    { label: "Outcome", isShort: true, cell: (row) => <DeliveryStatus of={row} /> },
    { label: "Answer", cell: formatAnswer },
    { label: "Cause", isShort: true, cell: ({ trigger }) => formatTrigger(trigger) },
    {
      label: "Last attempt",
      isShort: true,
      cell: ({ lastAttemptAt }) => <When at={lastAttemptAt} otherwise="none" />,
    },
    {
      label: "Next attempt",
      isShort: true,
      cell: ({ nextAttemptAt }) => <When at={nextAttemptAt} otherwise="–" />,
    },
    {
      label: "",
      cell: ({ id, status, eventId, eventType, sequence }) => (
        <ActionMenu
          of={`${eventType} ${sequence ?? id}`}
          actions={[
            {
              label: redeliveryLabel({ status }),
              icon: Send,
              disabledReason: reason,
              write: {
                work: () => slipway.webhookEndpoints.redeliver(endpointId, id),
                refreshes: ["webhookEndpoints"],
                said: "Sending.",
              },
            },
            {
              ...copyItem("the event's id", eventId ?? ""),
              disabledReason: eventId === null ? "The event has no id yet." : null,
            },
          ]}
        />
      ),
    },
  ];
  return (
    <Table
      caption="Deliveries, newest first"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
    />
  );
}
