import { useParams } from "@tanstack/react-router";
import type { WebhookAttempt, WebhookDelivery } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useLater, useRead } from "../api/query.ts";
import { reasonAgainstSending, redeliveryLabel, formatTrigger, webhookName } from "../api/webhook-rules.ts";
import { ActionButton } from "../components/confirm.tsx";
import { DeliveryStatus } from "../components/delivery-status.tsx";
import { Page } from "../components/page.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { CopyableId, CopyButton } from "../ui/copy.tsx";
import { Card, Empty, Facts, Fine, Section, Skeleton, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Payload } from "../components/payload.tsx";

/** One event that a webhook was sent: the request, and each attempt with its answer. */
export function DeliveryPage() {
  const { endpointId, deliveryId } = useParams({
    from: "/shell/webhooks/$endpointId/deliveries/$deliveryId",
  });
  const endpoint = useRead(read("webhookEndpoints", "get", endpointId));
  const reading = read("webhookEndpoints", "getDelivery", endpointId, deliveryId);
  const delivery = useRead(reading);
  const { reason } = useCan("manage webhooks");
  useFollow(reading, (options) => slipway.webhookEndpoints.watchDelivery(endpointId, deliveryId, options));
  const { eventId, eventType, trigger, nextAttemptAt, lastError, log, createdAt } = delivery;
  return (
    <Page
      title={`Delivery of ${eventType}`}
      crumbs={[
        ["Webhooks", paths.webhooks()],
        [webhookName(endpoint), paths.webhook(endpointId)],
      ]}
      beside={<DeliveryStatus of={delivery} />}
      actions={
        <ActionButton
          label={redeliveryLabel(delivery)}
          look="primary"
          disabledReason={reason ?? reasonAgainstSending(endpoint)}
          work={() => slipway.webhookEndpoints.redeliver(endpointId, deliveryId)}
          refreshes={["webhookEndpoints"]}
          said="Sending."
        />
      }
    >
      <Stack>
        {lastError === null ? null : (
          <Notice title={lastError.message} isBad>
            <p>{lastError.action}</p>
            <Fine>
              <code>{lastError.code}</code>
            </Fine>
          </Notice>
        )}
        <Facts
          of={[
            ["Event", eventId === null ? null : <CopyableId text={eventId} what="the event's id" />],
            ["Cause", formatTrigger(trigger)],
            ["Created", <When at={createdAt} />],
            ["Next attempt", nextAttemptAt === null ? null : <When at={nextAttemptAt} />],
          ]}
        />
      </Stack>
      <Section title="Attempts">
        {log.length === 0 ? (
          <Empty title="Not sent yet">The first attempt is listed here when it begins.</Empty>
        ) : null}
        {log.map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </Section>
      <Section title="Request">
        <Request delivery={delivery} />
      </Section>
    </Page>
  );
}

function Attempt({ attempt }: { readonly attempt: WebhookAttempt }) {
  const { number, url, startedAt, endedAt, address, status, error, responseBody, responseHeaders } = attempt;
  return (
    <Card label={`Attempt ${number}`}>
      <h3>
        Attempt {number}, <When at={startedAt} />
      </h3>
      {error === null ? null : <p>{error.message}</p>}
      <Facts
        of={[
          ["Answer", status ?? (endedAt === null ? "Under way" : "None")],
          ["Duration", milliseconds(attempt.totalMs)],
          ["Name lookup", milliseconds(attempt.dnsMs)],
          ["Connection", milliseconds(attempt.connectMs)],
          ["TLS", milliseconds(attempt.tlsMs)],
          ["First byte", milliseconds(attempt.firstByteMs)],
          ["Sent to", <code>{url}</code>],
          ["At address", address],
          ["Next attempt", attempt.nextAttemptAt === null ? null : <When at={attempt.nextAttemptAt} />],
        ]}
      />
      {responseHeaders === null ? null : (
        <Payload
          label={`Headers of answer ${number}`}
          text={Object.entries(responseHeaders)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        />
      )}
      {responseBody === null || responseBody === "" ? null : (
        <Payload
          label={`Answer ${number}${attempt.isCut === true ? ", its beginning" : ""}`}
          text={responseBody}
        />
      )}
    </Card>
  );
}

function milliseconds(ms: number | null): string | null {
  return ms === null ? null : `${Math.round(ms)} ms`;
}

/** Shows the body of the request: the event as the feed returns it, for as long as the event is kept. */
function Request({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { sequence } = delivery;
  const { data, error } = useLater(read("events", "list", { after: String((sequence ?? 1) - 1), limit: 1 }), {
    isWanted: sequence !== null,
  });
  if (sequence === null) return <Empty title="Not sent yet" />;
  if (data === undefined) return error === null ? <Skeleton lines={8} /> : <Problem error={error} />;
  const event = data.events.find((one) => one.sequence === sequence);
  if (event === undefined) return <Empty title="The event has expired">Events are kept for 30 days.</Empty>;
  const text = JSON.stringify(event, null, 2);
  return (
    <>
      <Payload label="The body that is sent" text={text} />
      <div>
        <CopyButton text={text} what="the body" label="Copy the body" />
      </div>
    </>
  );
}
