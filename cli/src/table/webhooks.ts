import { ALL, type Command, ENVIRONMENT, LIMIT, PROJECT, TIMEOUT } from "./command.ts";
import { TYPES } from "./events.ts";

const ENDPOINT = { name: "ENDPOINT_ID", says: "the webhook endpoint" };
const DELIVERY = { name: "DELIVERY_ID", says: "the delivery, as `webhooks deliveries` prints it" };

export const WEBHOOKS: readonly Command[] = [
  {
    words: "webhooks list",
    says: "List webhook endpoints",
    flags: [LIMIT, ALL],
    examples: ["slipway webhooks list"],
    load: async () => (await import("../commands/webhooks/endpoints.ts")).listEndpoints,
  },
  {
    words: "webhooks create",
    says: "Create a webhook endpoint; its secret is printed once",
    arguments: [{ name: "URL", says: "the URL that receives the events: HTTPS, at a public address" }],
    flags: [
      TYPES,
      PROJECT,
      ENVIRONMENT,
      { name: "description", value: "TEXT", says: "its purpose" },
      {
        name: "header",
        value: "NAME: VALUE",
        many: true,
        says: "an additional header; its value cannot be read later",
      },
    ],
    examples: ["slipway webhooks create https://acme.example/hooks --types 'domain.*,certificate.*'"],
    load: async () => (await import("../commands/webhooks/endpoints.ts")).createEndpoint,
  },
  {
    words: "webhooks show",
    says: "Show a webhook endpoint and its health",
    arguments: [ENDPOINT],
    examples: ["slipway webhooks show whe_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/webhooks/endpoints.ts")).showEndpoint,
  },
  {
    words: "webhooks update",
    says: "Change a webhook endpoint, or enable it again",
    arguments: [ENDPOINT],
    flags: [
      { name: "to", value: "URL", says: "the URL that receives the events" },
      TYPES,
      { name: "description", value: "TEXT", says: "its purpose" },
      { name: "enable", says: "enable it again, and send the events since it was disabled" },
      { name: "from-now", says: "with --enable: skip the events since it was disabled" },
      { name: "disable", says: "stop sending" },
    ],
    examples: ["slipway webhooks update whe_01kahv2m4c8r1w6t3k9p5x7hbn --enable"],
    load: async () => (await import("../commands/webhooks/endpoints.ts")).updateEndpoint,
  },
  {
    words: "webhooks delete",
    says: "Delete a webhook endpoint",
    arguments: [ENDPOINT],
    examples: ["slipway webhooks delete whe_01kahv2m4c8r1w6t3k9p5x7hbn --yes"],
    load: async () => (await import("../commands/webhooks/endpoints.ts")).deleteEndpoint,
  },
  {
    words: "webhooks ping",
    says: "Send a test event to an endpoint, and show what came back",
    arguments: [ENDPOINT],
    flags: [TIMEOUT],
    examples: ["slipway webhooks ping whe_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/webhooks/deliveries.ts")).pingEndpoint,
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
    examples: ["slipway webhooks rotate whe_01kahv2m4c8r1w6t3k9p5x7hbn --overlap-hours 0"],
    load: async () => (await import("../commands/webhooks/endpoints.ts")).rotateSecret,
  },
  {
    words: "webhooks deliveries",
    says: "List the deliveries of an endpoint, newest first",
    arguments: [ENDPOINT],
    flags: [
      { name: "status", value: "STATUS", says: "only with this status, such as FAILED" },
      { name: "type", value: "TYPE", says: "only of events of this type" },
      LIMIT,
      ALL,
    ],
    examples: ["slipway webhooks deliveries whe_01kahv2m4c8r1w6t3k9p5x7hbn --limit 20"],
    load: async () => (await import("../commands/webhooks/deliveries.ts")).listDeliveries,
  },
  {
    words: "webhooks delivery",
    says: "Show a delivery with the log of its attempts",
    arguments: [ENDPOINT, DELIVERY],
    examples: ["slipway webhooks delivery whe_01kahv2m4c8r1w6t3k9p5x7hbn whd_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/webhooks/deliveries.ts")).showDelivery,
  },
  {
    words: "webhooks redeliver",
    says: "Send a delivery again",
    arguments: [ENDPOINT, DELIVERY],
    examples: ["slipway webhooks redeliver whe_01kahv2m4c8r1w6t3k9p5x7hbn whd_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/webhooks/deliveries.ts")).redeliver,
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
    examples: ["slipway webhooks replay whe_01kahv2m4c8r1w6t3k9p5x7hbn --from 2026-11-20T09:00:00Z --all"],
    load: async () => (await import("../commands/webhooks/deliveries.ts")).replay,
  },
];
