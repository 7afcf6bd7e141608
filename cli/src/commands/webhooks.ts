import type { WebhookDelivery, WebhookEndpoint } from "../../../sdk/src/index.ts";
import {
  type Command,
  type Flag,
  type Input,
  LIMITS,
  ONLY_ENVIRONMENT,
  ONLY_PROJECT,
  TIMEOUT,
  TYPES,
} from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, UsageError } from "../failure.ts";
import { findEnvironment, findProject, PAGE } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";
import type { Field } from "../text-table.ts";
import { firstOf, waiting } from "../wait.ts";
import { splitHeader } from "./tools.ts";

const ENDPOINT = { name: "ENDPOINT_ID", says: "the webhook endpoint" };
const DELIVERY = { name: "DELIVERY_ID", says: "the delivery, as `webhooks deliveries` prints it" };
const DESCRIPTION: Flag = { name: "description", value: "TEXT", says: "its purpose" };
const HEADER: Flag = {
  name: "header",
  value: "NAME: VALUE",
  many: true,
  says: "an additional header; its value cannot be read later",
};
const MAX_PER_SECOND: Flag = {
  name: "max-per-second",
  value: "N",
  says: "the maximum number of deliveries per second",
};
/** Flags that replace the project and the environment whose events are sent. */
export const SCOPE_CHANGE: readonly Flag[] = [
  ONLY_PROJECT,
  ONLY_ENVIRONMENT,
  { name: "all-projects", says: "of all projects" },
];
const ENDPOINT_EXAMPLE = "whe_01kahv2m4c8r1w6t3k9p5x7hbn";
const DELIVERY_EXAMPLE = `${ENDPOINT_EXAMPLE} whd_01kahv2m4c8r1w6t3k9p5x7hbn`;

export const WEBHOOKS: readonly Command[] = [
  {
    words: "webhooks list",
    says: "List webhook endpoints",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.webhookEndpoints.list({ limit: PAGE }), [
        "id",
        { title: "status", of: ({ status, isUsed }) => statusOf(status, isUsed) },
        "url",
        { title: "types", of: ({ types }) => types.join(",") },
        { title: "description", of: ({ description }) => description, isProse: true },
      ]),
  },
  {
    words: "webhooks create",
    says: "Create a webhook endpoint; its secret is printed once",
    arguments: [{ name: "URL", says: "the URL that receives the events: HTTPS, at a public address" }],
    flags: [TYPES, ONLY_PROJECT, ONLY_ENVIRONMENT, DESCRIPTION, HEADER, MAX_PER_SECOND],
    examples: ["slipway webhooks create https://acme.example/hooks --types 'domain.*,certificate.*'"],
    async run(context, input) {
      const { client, output } = context;
      const endpoint = await client.webhookEndpoints.create({
        url: input.argument("URL"),
        types: typesOf(input) ?? ["*"],
        description: input.text("description"),
        headers: headersOf(input),
        maxPerSecond: input.number("max-per-second"),
        ...(await scopeOf(context, input)),
      });
      output.progress("The secret is shown only once. Deliveries are verified with it.");
      output.item(endpoint, [...endpointFields(endpoint), ["secret", endpoint.secret]]);
    },
  },
  {
    words: "webhooks show",
    says: "Show a webhook endpoint and its health",
    arguments: [ENDPOINT],
    examples: [`slipway webhooks show ${ENDPOINT_EXAMPLE}`],
    run: async (context, input) =>
      showEndpoint(context, await context.client.webhookEndpoints.get(input.argument("ENDPOINT_ID"))),
  },
  {
    words: "webhooks update",
    says: "Change a webhook endpoint, or enable it again",
    arguments: [ENDPOINT],
    flags: [
      { name: "to", value: "URL", says: "the URL that receives the events" },
      TYPES,
      ...SCOPE_CHANGE,
      DESCRIPTION,
      { ...HEADER, says: "an additional header; the headers given replace all earlier ones" },
      { name: "no-headers", says: "send no additional headers" },
      MAX_PER_SECOND,
      { name: "no-maximum", says: "send as many per second as there are" },
      { name: "enable", says: "enable it again, and send the events since it was disabled" },
      { name: "from-now", says: "with --enable: skip the events since it was disabled" },
      { name: "disable", says: "stop sending" },
    ],
    examples: [`slipway webhooks update ${ENDPOINT_EXAMPLE} --enable`],
    async run(context, input) {
      const { webhookEndpoints } = context.client;
      const id = input.argument("ENDPOINT_ID");
      const [headers, maxPerSecond] = [headersOf(input), input.number("max-per-second")];
      if (headers !== undefined && input.isSet("no-headers"))
        throw new UsageError("Give --header or --no-headers, not both.");
      if (maxPerSecond !== undefined && input.isSet("no-maximum"))
        throw new UsageError("Give --max-per-second or --no-maximum, not both.");
      const change = {
        url: input.text("to"),
        types: typesOf(input),
        description: input.text("description"),
        headers: input.isSet("no-headers") ? {} : headers,
        maxPerSecond: input.isSet("no-maximum") ? null : maxPerSecond,
        ...(await scopeChangeOf(context, input)),
      };
      const [enable, disable] = [input.isSet("enable"), input.isSet("disable")];
      if (enable && disable) throw new UsageError("Give --enable or --disable, not both.");
      if (input.isSet("from-now") && !enable) throw new UsageError("--from-now is for --enable.");
      const isChange = Object.values(change).some((value) => value !== undefined);
      if (!isChange && !enable && !disable)
        throw new UsageError("No change is given. `slipway webhooks update --help` lists the flags.");
      if (isChange) await webhookEndpoints.update(id, change);
      if (enable) await webhookEndpoints.enable(id, { from: input.isSet("from-now") ? "now" : "cursor" });
      if (disable) await webhookEndpoints.disable(id);
      showEndpoint(context, await webhookEndpoints.get(id));
    },
  },
  {
    words: "webhooks delete",
    says: "Delete a webhook endpoint",
    arguments: [ENDPOINT],
    examples: [`slipway webhooks delete ${ENDPOINT_EXAMPLE} --yes`],
    async run(context, input) {
      const { webhookEndpoints } = context.client;
      const { id, url } = await webhookEndpoints.get(input.argument("ENDPOINT_ID"));
      await deleteConfirmed(context, `Delete the endpoint ${url}?`, { id }, () =>
        webhookEndpoints.delete(id),
      );
    },
  },
  {
    words: "webhooks ping",
    says: "Send a test event to an endpoint, and show the response",
    arguments: [ENDPOINT],
    flags: [TIMEOUT],
    examples: [`slipway webhooks ping ${ENDPOINT_EXAMPLE}`],
    async run(context, input) {
      const { webhookEndpoints } = context.client;
      const endpointId = input.argument("ENDPOINT_ID");
      const { id } = await webhookEndpoints.ping(endpointId);
      const resume = `slipway webhooks delivery ${endpointId} ${id}`;
      const delivery = await waiting(context, input, resume, (signal) =>
        firstOf(
          webhookEndpoints.watchDelivery(endpointId, id, { signal }),
          ({ status }) => status !== "PENDING",
        ),
      );
      context.output.item(delivery, deliveryFields(delivery));
      const { status, lastError } = delivery;
      if (status === "FAILED")
        throw endedBadly(lastError?.message ?? "It was not delivered.", lastError?.action);
    },
  },
  {
    words: "webhooks rotate",
    says: "Replace the secret of an endpoint; the new one is printed once",
    arguments: [ENDPOINT],
    flags: [
      {
        name: "overlap-hours",
        value: "HOURS",
        says: "hours for which the old secret signs as well (default: 24); 0 after a leak",
      },
      { name: "force", says: "rotate even during the overlap of an earlier rotation" },
      { name: "revoke-previous", says: "do not rotate; end the overlap now" },
    ],
    examples: [`slipway webhooks rotate ${ENDPOINT_EXAMPLE} --overlap-hours 0`],
    async run(context, input) {
      const { client, output } = context;
      const id = input.argument("ENDPOINT_ID");
      if (input.isSet("revoke-previous")) {
        showEndpoint(context, await client.webhookEndpoints.revokePreviousSecret(id));
        return;
      }
      const rotated = await client.webhookEndpoints.rotateSecret(id, {
        overlapHours: input.number("overlap-hours", 0),
        force: input.isSet("force"),
      });
      output.progress("The secret is shown only once.");
      output.item(rotated, ["secret", ["the previous one signs until", rotated.previousSecretUntil]]);
    },
  },
  {
    words: "webhooks deliveries",
    says: "List the deliveries of an endpoint, newest first",
    arguments: [ENDPOINT],
    flags: [
      { name: "status", value: "STATUS", says: "only with this status, such as FAILED" },
      { name: "type", value: "TYPE", says: "only of events of this type" },
      ...LIMITS,
    ],
    examples: [`slipway webhooks deliveries ${ENDPOINT_EXAMPLE} --limit 20`],
    async run(context, input) {
      const query = {
        limit: PAGE,
        order: "desc",
        status: input.text("status") as WebhookDelivery["status"] | undefined,
        type: input.text("type"),
      } as const;
      const { webhookEndpoints } = context.client;
      const list = webhookEndpoints.listDeliveries(input.argument("ENDPOINT_ID"), query);
      await printList(context, input, list, [
        "id",
        "status",
        { title: "type", of: ({ eventType }) => eventType },
        "sequence",
        "attempts",
        { title: "next attempt", of: ({ nextAttemptAt }) => nextAttemptAt },
        { title: "last error", of: ({ lastError }) => lastError?.message, isProse: true },
      ]);
    },
  },
  {
    words: "webhooks delivery",
    says: "Show a delivery with the log of its attempts",
    arguments: [ENDPOINT, DELIVERY],
    examples: [`slipway webhooks delivery ${DELIVERY_EXAMPLE}`],
    async run({ client, output }, input) {
      const [endpointId, id] = [input.argument("ENDPOINT_ID"), input.argument("DELIVERY_ID")];
      const delivery = await client.webhookEndpoints.getDelivery(endpointId, id);
      const attempts = delivery.log.map(({ number, startedAt, address, status, totalMs, error }) => {
        const duration = totalMs === null ? null : `${totalMs} ms`;
        const parts = [startedAt, address, status, duration, error?.message];
        const isKnown = (part: unknown): boolean => part !== null && part !== undefined && part !== "";
        return [`attempt ${number}`, parts.filter(isKnown).join("  ")] as const;
      });
      output.item(delivery, [...deliveryFields(delivery), ...attempts]);
    },
  },
  {
    words: "webhooks redeliver",
    says: "Send a delivery again",
    arguments: [ENDPOINT, DELIVERY],
    examples: [`slipway webhooks redeliver ${DELIVERY_EXAMPLE}`],
    async run({ client, output }, input) {
      const [endpointId, id] = [input.argument("ENDPOINT_ID"), input.argument("DELIVERY_ID")];
      const delivery = await client.webhookEndpoints.redeliver(endpointId, id);
      output.item(delivery, deliveryFields(delivery));
      output.progress(`To see the result: slipway webhooks delivery ${endpointId} ${id}`);
    },
  },
  {
    words: "webhooks replay",
    says: "Send the events of a period again",
    arguments: [ENDPOINT],
    flags: [
      {
        name: "from",
        value: "TIME",
        says: "the beginning, such as 2026-11-20T09:00:00Z (default: the oldest event kept)",
      },
      { name: "until", value: "TIME", says: "the end (default: now)" },
      TYPES,
      { name: "all", says: "all matching events (default: only failed deliveries)" },
    ],
    examples: [`slipway webhooks replay ${ENDPOINT_EXAMPLE} --from 2026-11-20T09:00:00Z --all`],
    async run({ client, output }, input) {
      const replayed = await client.webhookEndpoints.replay(input.argument("ENDPOINT_ID"), {
        from: input.text("from"),
        until: input.text("until"),
        types: typesOf(input),
        only: input.isSet("all") ? "all" : "failed",
      });
      const { isMore, count } = replayed;
      output.item(replayed, [["events sent again", isMore ? `more than ${count}` : count]]);
    },
  },
];

/** `domain.*,deployment.failed` */
export function typesOf(input: Input): readonly string[] | undefined {
  return input
    .text("types")
    ?.split(",")
    .map((type) => type.trim());
}

/** The project and the environment that flags name. */
export async function scopeOf(context: Context, input: Input) {
  if (input.isSet("environment")) {
    const { id, projectId } = await findEnvironment(context, input);
    return { projectId, environmentId: id };
  }
  const named = input.text("project");
  return named === undefined ? {} : { projectId: (await findProject(context, named)).id };
}

/** The same, to replace an earlier filter as a whole; empty if it stays. */
export async function scopeChangeOf(context: Context, input: Input) {
  const scope = await scopeOf(context, input);
  const isNamed = Object.keys(scope).length > 0;
  if (isNamed && input.isSet("all-projects"))
    throw new UsageError("Give --all-projects, or --project and --environment, not both.");
  const all = { projectId: null, environmentId: null };
  return isNamed || input.isSet("all-projects") ? { ...all, ...scope } : {};
}

/** A receiver cannot be healthy before something was sent to it. */
export function statusOf(status: string, isUsed: boolean): string {
  return status === "HEALTHY" && !isUsed ? "not used yet" : status;
}

function showEndpoint({ output }: Context, endpoint: WebhookEndpoint): void {
  output.item(endpoint, endpointFields(endpoint));
}

/** @returns undefined if none is given */
function headersOf(input: Input): Record<string, string> | undefined {
  const headers = input.many("header").map(splitHeader);
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}

function endpointFields(endpoint: WebhookEndpoint) {
  const { types, status, isUsed, disabledReason, failingSince, headerNames, maxPerSecond } = endpoint;
  return [
    "id",
    "url",
    ["types", types.join(",")],
    ...scopeFields(endpoint),
    ["status", statusOf(status, isUsed)],
    ["disabled by", disabledReason],
    ["failing since", failingSince],
    ["headers", headerNames.join(", ")],
    ["at most per second", maxPerSecond],
    "description",
  ] as const satisfies readonly Field<WebhookEndpoint>[];
}

/** The filter of an endpoint or a channel. */
export function scopeFields({
  projectId,
  environmentId,
}: Pick<WebhookEndpoint, "projectId" | "environmentId">) {
  return [
    ["project", projectId ?? "all"],
    ["environment", environmentId ?? "all"],
  ] as const;
}

function deliveryFields({ eventType, eventId, lastError }: WebhookDelivery) {
  return [
    "id",
    "status",
    ["type", eventType],
    ["event", eventId],
    "attempts",
    "lastStatus",
    "nextAttemptAt",
    ["last error", lastError?.message],
    ["what to do", lastError?.action],
  ] as const satisfies readonly Field<WebhookDelivery>[];
}
