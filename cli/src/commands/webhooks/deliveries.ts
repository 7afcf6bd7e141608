import type { WebhookDelivery } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import { endedBadly } from "../../output/failure.ts";
import type { Handler } from "../../table/command.ts";
import { waiting } from "../wait.ts";
import { typesOf } from "./endpoints.ts";

export const pingEndpoint: Handler = async (context, input) => {
  const client = await context.client();
  const endpointId = input.argument("ENDPOINT_ID");
  const { id } = await client.webhookEndpoints.ping(endpointId, { signal: context.signal });
  const resume = `slipway webhooks delivery ${endpointId} ${id}`;
  const delivery = await waiting(context, input, resume, async (signal) => {
    for await (const one of client.webhookEndpoints.watchDelivery(endpointId, id, { signal }))
      if (one.status !== "PENDING") return one;
    throw new Error("A watch does not end.");
  });
  show(context, delivery);
  const { lastError } = delivery;
  if (delivery.status === "FAILED")
    throw endedBadly(lastError?.message ?? "It was not delivered.", lastError?.action);
};

export const listDeliveries: Handler = async (context, input) => {
  const client = await context.client();
  const [status, type] = [input.text("status"), input.text("type")];
  const query = {
    limit: PAGE,
    order: "desc" as const,
    ...(status === undefined ? {} : { status: status as WebhookDelivery["status"] }),
    ...(type === undefined ? {} : { type }),
  };
  const deliveries = client.webhookEndpoints.listDeliveries(input.argument("ENDPOINT_ID"), query);
  context.output.list(await takeLimited(input, context.output, deliveries), [
    { title: "id", of: ({ id }) => id },
    { title: "status", of: (one) => one.status },
    { title: "type", of: ({ eventType }) => eventType },
    { title: "sequence", of: ({ sequence }) => sequence },
    { title: "attempts", of: ({ attempts }) => attempts },
    { title: "next attempt", of: ({ nextAttemptAt }) => nextAttemptAt },
    { title: "found wrong", of: ({ lastError }) => lastError?.message, isProse: true },
  ]);
};

export const showDelivery: Handler = async (context, input) => {
  const client = await context.client();
  const delivery = await client.webhookEndpoints.getDelivery(
    input.argument("ENDPOINT_ID"),
    input.argument("DELIVERY_ID"),
    { signal: context.signal },
  );
  context.output.item(delivery, [
    ...fieldsOf(delivery),
    ...delivery.log.map(
      ({ number, startedAt, address, status, totalMs, error }) =>
        [
          `attempt ${number}`,
          [
            startedAt,
            address ?? "",
            status ?? "",
            totalMs === null ? "" : `${totalMs} ms`,
            error?.message ?? "",
          ]
            .filter((part) => part !== "")
            .join("  "),
        ] as const,
    ),
  ]);
};

export const redeliver: Handler = async (context, input) => {
  const client = await context.client();
  const [endpointId, id] = [input.argument("ENDPOINT_ID"), input.argument("DELIVERY_ID")];
  show(context, await client.webhookEndpoints.redeliver(endpointId, id, { signal: context.signal }));
  context.output.progress(`To see how it went: slipway webhooks delivery ${endpointId} ${id}`);
};

export const replay: Handler = async (context, input) => {
  const client = await context.client();
  const [from, until, types] = [input.text("from"), input.text("until"), typesOf(input)];
  const begun = await client.webhookEndpoints.replay(
    input.argument("ENDPOINT_ID"),
    {
      ...(from === undefined ? {} : { from }),
      ...(until === undefined ? {} : { until }),
      ...(types === undefined ? {} : { types }),
      only: input.isSet("all") ? "all" : "failed",
    },
    { signal: context.signal },
  );
  context.output.item(begun, [
    ["events sent again", begun.isMore ? `more than ${begun.count}` : begun.count],
  ]);
};

function show({ output }: Context, delivery: WebhookDelivery): void {
  output.item(delivery, fieldsOf(delivery));
}

function fieldsOf(delivery: WebhookDelivery): readonly (readonly [string, unknown])[] {
  return [
    ["id", delivery.id],
    ["status", delivery.status],
    ["type", delivery.eventType],
    ["event", delivery.eventId],
    ["attempts", delivery.attempts],
    ["last status", delivery.lastStatus],
    ["next attempt", delivery.nextAttemptAt],
    ["found wrong", delivery.lastError?.message],
    ["what to do", delivery.lastError?.action],
  ];
}
