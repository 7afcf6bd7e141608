import { Type } from "typebox";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import type { Precondition } from "../../http/requests/precondition.ts";
import { At, Body } from "../../http/schemas.ts";
import type { WorkDeps } from "../../jobs/jobs.ts";
import { newId } from "../../lib/ids.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { attempts } from "./attempt-store.ts";
import {
  CREATE_BODY,
  ENABLE_BODY,
  findEndpointFaults,
  findReplayFaults,
  REPLAY_BODY,
  ROTATE_BODY,
  UPDATE_BODY,
} from "./body.ts";
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  revokePreviousSecret,
  rotateSecret,
  updateEndpoint,
} from "./commands.ts";
import { deliveriesOf, getDelivery, pingEndpoint, redeliver, startReplay } from "./delivery-commands.ts";
import { deliveries } from "./delivery-store.ts";
import { endpoints } from "./endpoint-store.ts";
import { checkUrl, headerNamesOf, sealHeaders, sealNewSecret } from "./prepare-endpoint.ts";
import {
  DeliverySchema,
  DeliveryStatusSchema,
  DeliveryWithAttemptsSchema,
  NewWebhookEndpointSchema,
  ReplaySchema,
  viewAttempt,
  viewDelivery,
  viewEndpoint,
  WebhookEndpointSchema,
  WebhookSecretSchema,
} from "./views.ts";

const tag: Tag = {
  name: "Webhooks",
  description:
    "Events that are sent to your own endpoints, signed by the Standard Webhooks scheme, with a log of every attempt.",
};
const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag } as const;

/** The newest attempts of a delivery that are shown. */
const LOGGED_MAX = 50;

type Deps = WorkDeps & {
  readonly atRest: AtRestSealing;
  readonly exchange: SafeFetch;
  readonly catalogue: EventCatalogue;
  /** Whether http:// to this machine is allowed. */
  readonly allowsLoopback: boolean;
};

const LOCKED: Precondition<"/v1/webhook-endpoints/:webhookEndpointId"> = {
  lock: async ({ tx, actor, params }) =>
    void (await endpoints.lock(tx, actor.organizationId, params.webhookEndpointId)),
};

export function registerWebhookRoutes(http: Http, deps: Deps): void {
  const { db, jobs, clock, atRest, exchange, catalogue, allowsLoopback } = deps;
  const findFaults = (body: unknown) => findEndpointFaults(body, catalogue, allowsLoopback);

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints",
    summary: "Create a webhook endpoint",
    description:
      "The endpoint receives events from now on. `secret` signs them and is shown only once. An organization has at most 50 endpoints.",
    body: CREATE_BODY,
    findFaults,
    responses: { 201: NewWebhookEndpointSchema },
    prepare: async ({ actor, body }) => {
      await checkUrl(exchange, body.url);
      const owner = { organizationId: actor.organizationId, id: newId("whe") };
      const headers = body.headers ?? {};
      const { secret, sealed } = await sealNewSecret(atRest, owner);
      const sealedHeaders = await sealHeaders(atRest, owner, headers);
      return { id: owner.id, secret, sealed: { secret: sealed, headers: sealedHeaders } };
    },
    commit: async ({ tx, actor, body, prepared: { id, secret, sealed } }) => {
      const { projectId = null, environmentId = null, maxPerSecond = null, headers = {}, ...rest } = body;
      const settings = {
        ...rest,
        id,
        url: new URL(body.url).href,
        projectId,
        environmentId,
        maxPerSecond,
        headerNames: headerNamesOf(headers),
      };
      const endpoint = await createEndpoint(tx, actor, settings, sealed);
      return {
        status: 201,
        location: `/v1/webhook-endpoints/${id}`,
        body: { ...viewEndpoint(endpoint), secret },
      };
    },
  });

  http.read({
    ...ADMIN,
    path: "/v1/webhook-endpoints",
    summary: "List webhook endpoints",
    query: Body(PAGE_QUERY),
    response: ListOf("webhookEndpoints", WebhookEndpointSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await endpoints.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (endpoint) => endpoint.id);
      return { webhookEndpoints: items.map(viewEndpoint), nextCursor };
    },
  });

  http.read({
    ...ADMIN,
    path: "/v1/webhook-endpoints/:webhookEndpointId",
    summary: "Get a webhook endpoint",
    response: WebhookEndpointSchema,
    unguarded: ["isUsed"],
    watch: ({ params }) => [params.webhookEndpointId],
    handle: async ({ sql, actor, params }) =>
      viewEndpoint(await getEndpoint(sql, actor.organizationId, params.webhookEndpointId)),
  });

  http.write({
    ...ADMIN,
    method: "PATCH",
    path: "/v1/webhook-endpoints/:webhookEndpointId",
    precondition: LOCKED,
    summary: "Change a webhook endpoint",
    description:
      "Omitted fields stay as they are. A new URL or new headers are tried at once, also if the endpoint is failing.",
    body: UPDATE_BODY,
    findFaults,
    responses: { 200: WebhookEndpointSchema },
    prepare: async ({ actor, params, body }) => {
      const owner = { organizationId: actor.organizationId, id: params.webhookEndpointId };
      await getEndpoint(db, owner.organizationId, owner.id);
      if (body.url !== undefined) await checkUrl(exchange, body.url);
      return {
        sealed: body.headers === undefined ? undefined : await sealHeaders(atRest, owner, body.headers),
      };
    },
    commit: async ({ tx, actor, params, body, prepared: { sealed } }) => {
      const { headers, url, ...rest } = body;
      const change = {
        ...rest,
        ...(url === undefined ? {} : { url: new URL(url).href }),
        ...(headers === undefined ? {} : { headerNames: headerNamesOf(headers) }),
      };
      const endpoint = await updateEndpoint(tx, jobs, actor, params.webhookEndpointId, change, sealed);
      return { status: 200, body: viewEndpoint(endpoint) };
    },
  });

  http.write({
    ...ADMIN,
    method: "DELETE",
    path: "/v1/webhook-endpoints/:webhookEndpointId",
    precondition: LOCKED,
    summary: "Delete a webhook endpoint",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteEndpoint(tx, actor, params.webhookEndpointId);
      return { status: 204 };
    },
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/enable",
    summary: "Enable a webhook endpoint",
    description: "The endpoint receives the events since it was disabled, unless `from` is `now`.",
    body: ENABLE_BODY,
    responses: { 200: WebhookEndpointSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewEndpoint(await enableEndpoint(tx, jobs, actor, params.webhookEndpointId, body.from)),
    }),
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/disable",
    summary: "Disable a webhook endpoint",
    description:
      "The endpoint receives nothing until it is enabled. Deliveries in progress may still arrive.",
    responses: { 200: WebhookEndpointSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewEndpoint(await disableEndpoint(tx, actor, params.webhookEndpointId)),
    }),
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/rotate-secret",
    operationId: "rotateWebhookSecret",
    summary: "Replace the secret of a webhook endpoint",
    description:
      "Both secrets sign until the overlap ends, so that the receiver can change to the new one. The new secret is shown only once.",
    body: ROTATE_BODY,
    responses: { 200: WebhookSecretSchema },
    prepare: async ({ actor, params }) => {
      const owner = { organizationId: actor.organizationId, id: params.webhookEndpointId };
      await getEndpoint(db, owner.organizationId, owner.id);
      return await sealNewSecret(atRest, owner);
    },
    commit: async ({ tx, actor, params, body, prepared: { secret, sealed } }) => {
      const how = { overlapHours: body.overlapHours, isForced: body.force, now: clock.now() };
      const endpoint = await rotateSecret(tx, actor, params.webhookEndpointId, sealed, how);
      return {
        status: 200,
        body: { secret, previousSecretUntil: viewEndpoint(endpoint).previousSecretUntil },
      };
    },
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/revoke-previous-secret",
    operationId: "revokePreviousWebhookSecret",
    summary: "Revoke the previous secret of a webhook endpoint",
    description: "The previous secret no longer signs.",
    responses: { 200: WebhookEndpointSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewEndpoint(await revokePreviousSecret(tx, actor, params.webhookEndpointId)),
    }),
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/ping",
    summary: "Send a ping to a webhook endpoint",
    description:
      "The event `webhook_endpoint.ping` is sent once, regardless of the endpoint's filter. The delivery shows the result.",
    responses: { 202: DeliverySchema },
    examples: { 202: { trigger: "ping", eventType: "webhook_endpoint.ping", attempts: 0 } },
    commit: async ({ tx, actor, params }) => {
      const delivery = await pingEndpoint(tx, actor, params.webhookEndpointId, clock.now());
      return { status: 202, location: pathOf(delivery), body: viewDelivery(delivery) };
    },
  });

  http.read({
    ...ADMIN,
    path: "/v1/webhook-endpoints/:webhookEndpointId/deliveries",
    operationId: "listWebhookDeliveries",
    summary: "List the deliveries of a webhook endpoint",
    description: "Deliveries are kept for 30 days. Events that have not been sent yet are not listed.",
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
    ...ADMIN,
    path: "/v1/webhook-endpoints/:webhookEndpointId/deliveries/:deliveryId",
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
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/deliveries/:deliveryId/redeliver",
    operationId: "redeliverWebhook",
    summary: "Send a delivery again",
    description:
      "A finished delivery is sent once more, and a delivery that waits for its next attempt is sent now. The `webhook-id` stays the same.",
    responses: { 202: DeliverySchema },
    examples: { 202: { trigger: "manual" } },
    commit: async ({ tx, actor, params }) => {
      const { webhookEndpointId, deliveryId } = params;
      const delivery = await redeliver(tx, jobs, actor, webhookEndpointId, deliveryId, clock.now());
      return { status: 202, location: pathOf(delivery), body: viewDelivery(delivery) };
    },
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/webhook-endpoints/:webhookEndpointId/replay",
    operationId: "replayWebhooks",
    summary: "Send events again",
    description:
      "Sends events that match the endpoint's filter again, in their order and with the same `webhook-id`. New events are sent at the same time. An endpoint has one replay at a time.",
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
