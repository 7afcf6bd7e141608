import { useSearch } from "@tanstack/react-router";
import type { WebhookDelivery } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { EVENT_TYPES } from "../api/event-types.ts";
import { useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { tellAnswer, tellRedelivery, tellWebhookTrigger } from "../api/webhook-rules.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { DeliveryStatus } from "../components/delivery-status.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Empty, Fine, Skeleton, Stack } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { usePendingDelivery } from "./webhook-pending.ts";

/** What a webhook was sent, newest first; filtered by the address. */
export function Deliveries({ endpointId }: { readonly endpointId: string }) {
  const search = useSearch({ from: "/shell/webhooks/$endpointId" });
  const list = useList(
    readPages("webhookEndpoints", "listDeliveries", endpointId, { order: "desc", ...search }),
    "deliveries",
  );
  usePendingDelivery(endpointId, list.items);
  const { isFiltered, clear, field } = useFilter(search);
  return (
    <Stack>
      <Filters label="Filter the deliveries">
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
        <Empty title="No delivery is like that" action={<Button onClick={clear}>Clear the filter</Button>} />
      ) : (
        <Empty title="Nothing was sent yet">Send a test to see whether the receiver answers.</Empty>
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
    {
      label: "Outcome",
      isShort: true,
      wraps: true,
      cell: (row) => (
        <>
          <DeliveryStatus of={row} />
          <Fine>{tellAnswer(row)}</Fine>
        </>
      ),
    },
    { label: "Sent because of", cell: ({ trigger }) => tellWebhookTrigger(trigger) },
    {
      label: "Last attempt",
      isShort: true,
      cell: ({ lastAttemptAt, nextAttemptAt }) => (
        <>
          <When at={lastAttemptAt} otherwise="none" />
          {nextAttemptAt === null ? null : (
            <Fine>
              next <When at={nextAttemptAt} />
            </Fine>
          )}
        </>
      ),
    },
    {
      label: "",
      cell: (row) => (
        <ActionButton
          label={tellRedelivery(row)}
          name={`${tellRedelivery(row)}: ${row.eventType} ${row.sequence ?? row.id}`}
          size="small"
          disabledReason={reason}
          work={() => slipway.webhookEndpoints.redeliver(endpointId, row.id)}
          refreshes={["webhookEndpoints"]}
          said="It is on its way."
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
