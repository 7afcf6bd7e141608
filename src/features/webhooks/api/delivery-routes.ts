import { Type } from "typebox";
import type { Http } from "../../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../../http/requests/paging.ts";
import { At, Body } from "../../../http/schemas.ts";
import { attempts } from "../attempt-store.ts";
import { findReplayFaults, REPLAY_BODY } from "./body.ts";
import { getEndpoint } from "../commands.ts";
import { deliveriesOf, getDelivery, pingEndpoint, redeliver, startReplay } from "../delivery-commands.ts";
import { deliveries } from "../delivery-store.ts";
import { type WebhookRouteDeps, WEBHOOKS } from "./endpoint-routes.ts";
import {
  DeliverySchema,
  DeliveryStatusSchema,
  DeliveryWithAttemptsSchema,
  ReplaySchema,
  viewAttempt,
  viewDelivery,
} from "./views.ts";

const tag = WEBHOOKS;
const LOGGED_MAX = 50;

export function registerDeliveryRoutes(http: Http, deps: WebhookRouteDeps): void {
  const { db, jobs, clock, catalogue } = deps;

  http.write({
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/ping",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag,
    summary: "Send a ping to a webhook endpoint",
    description:
      "The event `webhook_endpoint.ping` is sent once, whatever the endpoint's filter. The delivery shows the result.",
    responses: { 202: DeliverySchema },
    examples: { 202: { trigger: "ping", eventType: "webhook_endpoint.ping", attempts: 0 } },
    commit: async ({ tx, actor, params }) => {
      const delivery = await pingEndpoint(tx, actor, params.webhookEndpointId, clock.now());
      return { status: 202, location: pathOf(delivery), body: viewDelivery(delivery) };
    },
  });

  http.read({
    path: "/v1/webhook-endpoints/:webhookEndpointId/deliveries",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag,
    operationId: "listWebhookDeliveries",
    summary: "List the deliveries of a webhook endpoint",
    description: "Kept for 30 days. Events that have not been sent yet are not listed.",
    query: Body({
      ...PAGE_QUERY,
      status: Type.Optional(At(DeliveryStatusSchema, "Only deliveries with this status.")),
      type: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: "Only deliveries of events of this type.",
          examples: ["domain.attached"],
        }),
      ),
    }),
    response: ListOf("deliveries", DeliverySchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const filter = { status: query.status ?? null, type: query.type ?? null };
      const endpoint = await getEndpoint(db, actor.organizationId, params.webhookEndpointId);
      const rows = await deliveries.list(db, endpoint, page, filter);
      const { items, nextCursor } = makePage(rows, page, (delivery) => delivery.id);
      return { deliveries: items.map(viewDelivery), nextCursor };
    },
  });

  http.read({
    path: "/v1/webhook-endpoints/:webhookEndpointId/deliveries/:deliveryId",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag,
    operationId: "getWebhookDelivery",
    summary: "Get a delivery with the log of its attempts",
    response: DeliveryWithAttemptsSchema,
    watch: ({ params }) => [deliveriesOf(params.webhookEndpointId), params.webhookEndpointId],
    handle: async ({ sql, actor, params }) => {
      const { organizationId } = actor;
      const { id } = await getEndpoint(sql, organizationId, params.webhookEndpointId);
      const delivery = await getDelivery(sql, organizationId, id, params.deliveryId);
      const log = await attempts.list(sql, organizationId, delivery.id, LOGGED_MAX);
      return { ...viewDelivery(delivery), log: log.map(viewAttempt) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/deliveries/:deliveryId/redeliver",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag,
    operationId: "redeliverWebhook",
    summary: "Send a delivery again",
    description:
      "With the same `webhook-id`. A finished one is sent once more; one that waits for its next attempt is sent now.",
    responses: { 202: DeliverySchema },
    examples: { 202: { trigger: "manual" } },
    commit: async ({ tx, actor, params }) => {
      const { webhookEndpointId, deliveryId } = params;
      const delivery = await redeliver(tx, jobs, actor, webhookEndpointId, deliveryId, clock.now());
      return { status: 202, location: pathOf(delivery), body: viewDelivery(delivery) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/replay",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag,
    operationId: "replayWebhooks",
    summary: "Send events again",
    description:
      "Events that the endpoint was sent, or would have been: in their order, beside the new ones, each with its own `webhook-id` as before. One replay runs at a time.",
    body: REPLAY_BODY,
    findFaults: (body) => findReplayFaults(body, catalogue),
    responses: { 202: ReplaySchema },
    commit: async ({ tx, actor, params, body }) => {
      const { webhookEndpointId } = params;
      const { count, isLimit } = await startReplay(tx, jobs, catalogue, actor, webhookEndpointId, {
        from: body.from === undefined ? null : new Date(body.from),
        until: body.until === undefined ? null : new Date(body.until),
        types: body.types ?? null,
        isOfFailed: body.only === "failed",
      });
      return {
        status: 202,
        location: `/v1/webhook-endpoints/${webhookEndpointId}`,
        body: { count, isMore: isLimit },
      };
    },
  });
}

function pathOf({ endpointId, id }: { readonly endpointId: string; readonly id: string }): string {
  return `/v1/webhook-endpoints/${endpointId}/deliveries/${id}`;
}
