import { announceChange } from "../../db/changes.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound, orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { boundsOfEvents, countEvents, findLastBefore } from "../events/queries.ts";
import { attempts } from "./attempt-store.ts";
import { lockEndpoint } from "./commands.ts";
import { deliveries } from "./delivery-store.ts";
import type { ListedDelivery } from "./delivery.ts";
import { endpoints } from "./endpoint-store.ts";
import { WEBHOOK_ERRORS } from "./errors.ts";
import { PING, WEBHOOK_EVENTS } from "./events.ts";
import { replayOf, type WebhookEndpoint } from "./webhook-endpoint.ts";

/** What readers of an endpoint's deliveries watch. */
export const deliveriesOf = (endpointId: string): string => `${endpointId}/deliveries`;

/** @throws AppError `NOT_FOUND` */
export async function getDelivery(
  sql: Sql,
  organizationId: string,
  endpointId: string,
  id: string,
): Promise<ListedDelivery> {
  return orNotFound(await deliveries.find(sql, organizationId, endpointId, id));
}

/** Sends an event of its own. The numbering of that event enqueues the endpoint. @throws AppError as `lockEnabled` */
export async function pingEndpoint(
  tx: Transaction,
  actor: Actor,
  endpointId: string,
  now: Date,
): Promise<ListedDelivery> {
  const endpoint = await lockEnabled(tx, actor, endpointId);
  const { last } = await boundsOfEvents(tx, actor.organizationId);
  const ping = { id: newId("whd"), eventType: PING, after: last, at: now };
  deliveries.insertPing(tx, endpoint, ping);
  const type = WEBHOOK_EVENTS["webhook_endpoint.ping"];
  emit(tx, actor, { type, subjectId: endpointId, data: { deliveryId: ping.id } });
  recordAudit(tx, actor, "webhook-endpoint.pinged", endpointId);
  return await getDelivery(tx, actor.organizationId, endpointId, ping.id);
}

/** Sends one delivery again, at once. @throws AppError as `lockEnabled` */
export async function redeliver(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  endpointId: string,
  id: string,
  now: Date,
): Promise<ListedDelivery> {
  const { organizationId } = actor;
  await lockEnabled(tx, actor, endpointId);
  if (!(await deliveries.askAgain(tx, organizationId, endpointId, id, now))) throw notFound();
  await jobs.enqueue(tx, "webhook-endpoint", { organizationId, id: endpointId });
  announceChange(tx, deliveriesOf(endpointId));
  recordAudit(tx, actor, "webhook-endpoint.redelivery-requested", endpointId, { names: [id] });
  return await getDelivery(tx, organizationId, endpointId, id);
}

/** So far is counted how many events a replay sends. */
const COUNTED_MAX = 100_000;

export type ReplayStarted = { readonly count: number; readonly isLimit: boolean };

/**
 * Sends events again that the endpoint was sent, in their order, beside the new ones.
 * @throws AppError as `lockEnabled`, `WEBHOOK_REPLAY_RUNNING`
 */
export async function startReplay(
  tx: Transaction,
  jobs: Jobs,
  catalogue: EventCatalogue,
  actor: Actor,
  endpointId: string,
  replay: {
    readonly from: Date | null;
    readonly until: Date | null;
    readonly types: readonly string[] | null;
    readonly isOfFailed: boolean;
  },
): Promise<ReplayStarted> {
  const { organizationId } = actor;
  const endpoint = await lockEnabled(tx, actor, endpointId);
  if (replayOf(endpoint) !== null) {
    throw new AppError(
      WEBHOOK_ERRORS.WEBHOOK_REPLAY_RUNNING,
      "The endpoint's earlier replay is still running. Wait until isReplaying is false.",
    );
  }
  const { oldest } = await boundsOfEvents(tx, organizationId);
  const { from, until, types, isOfFailed } = replay;
  const cursor = from === null ? oldest - 1 : await findLastBefore(tx, organizationId, from);
  const end = until === null ? endpoint.cursor : await findLastBefore(tx, organizationId, until);
  const through = Math.min(end, endpoint.cursor);
  const ofEndpoint = catalogue.expand(endpoint.types).types ?? [];
  const ofReplay = new Set(types === null ? ofEndpoint : (catalogue.expand(types).types ?? []));
  const place = {
    types: ofEndpoint.filter((type) => ofReplay.has(type) && type !== PING),
    projectId: endpoint.projectId,
    environmentId: endpoint.environmentId,
  };
  const range = { after: cursor, through, limit: COUNTED_MAX };
  const count = isOfFailed
    ? await deliveries.countFailed(tx, endpoint, range, place.types)
    : await countEvents(tx, organizationId, range, place);
  if (count > 0) {
    endpoints.startReplay(tx, endpoint, { cursor, through, types, isOfFailed });
    await jobs.enqueue(tx, "webhook-endpoint", { organizationId, id: endpointId });
    announceChange(tx, endpointId);
  }
  recordAudit(tx, actor, "webhook-endpoint.replay-requested", endpointId, {
    after: { events: String(count) },
  });
  return { count, isLimit: count === COUNTED_MAX };
}

/** @throws AppError `NOT_FOUND`, `WEBHOOK_ENDPOINT_DISABLED` */
async function lockEnabled(tx: Transaction, { organizationId }: Actor, id: string): Promise<WebhookEndpoint> {
  const endpoint = await lockEndpoint(tx, organizationId, id);
  if (endpoint.status !== "DISABLED") return endpoint;
  throw new AppError(
    WEBHOOK_ERRORS.WEBHOOK_ENDPOINT_DISABLED,
    `The endpoint is disabled and receives nothing. Enable it first.`,
  );
}

const DAY_MS = 86_400_000;
/** As long as events. */
export const ATTEMPTS_KEPT_DAYS = 30;
/** A shorter time, because receivers' answers may hold unexpected data. */
export const BODIES_KEPT_DAYS = 7;

/** Removes older attempts, deliveries and bodies. @returns whether there may be more */
export async function pruneWebhooks(db: Database, now: Date): Promise<boolean> {
  const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  const more = [
    await deliveries.prune(db, before(ATTEMPTS_KEPT_DAYS)),
    await attempts.prune(db, before(ATTEMPTS_KEPT_DAYS)),
    await attempts.pruneBodies(db, before(BODIES_KEPT_DAYS)),
  ];
  return more.includes(true);
}
