/** Sends the next events to one endpoint: gather a batch, write the attempts, make them, record what they showed. */
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import type { Reconcile, ReconcileResult } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { attempts } from "./attempt-store.ts";
import { emitDisabled } from "./commands.ts";
import { decideNews } from "./decide-delivery.ts";
import { deliveriesOf } from "./delivery-commands.ts";
import { deliveries } from "./delivery-store.ts";
import { endpoints } from "./endpoint-store.ts";
import { WEBHOOK_EVENTS } from "./events.ts";
import { type Batch, gatherBatch } from "./gather-batch.ts";
import { openTarget, sendAttempt } from "./send-attempt.ts";
import { sendBatch, type Sent } from "./send-batch.ts";
import { dataOf, type Health, type WebhookEndpoint } from "./webhook-endpoint.ts";

export function reconcileEndpoint(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly atRest: AtRestSealing;
  readonly exchange: SafeFetch;
  readonly catalogue: EventCatalogue;
  readonly publicUrl: string;
  readonly onAttempt: (isDelivered: boolean) => void;
}): Reconcile {
  const { db, clock, atRest, catalogue, onAttempt } = deps;
  const expand = (patterns: readonly string[]): readonly string[] => catalogue.expand(patterns).types ?? [];

  return async ({ organizationId, id }, signal) => {
    const endpoint = await endpoints.find(db, organizationId, id);
    if (endpoint === null || endpoint.status === "DISABLED") return "done";
    const startedAt = clock.now();
    const batch = await gatherBatch(db, endpoint, expand, startedAt);
    if (isEmpty(endpoint, batch)) return restOf(endpoint, batch, [], startedAt);
    const target = batch.items.length === 0 ? null : await openTarget({ db, atRest }, endpoint, startedAt);
    // Another worker or a user changed it: gather again.
    if (!(await begin(db, endpoint, batch, startedAt))) return { runAfterMs: 0 };
    if (target === null) return restOf(endpoint, batch, [], startedAt);

    const { sent, health } = await sendBatch(batch.items, {
      health: endpoint,
      now: () => clock.now(),
      signal,
      send: async (item) => {
        const made = await sendAttempt(deps, target, item);
        onAttempt(made.outcome.kind === "delivered");
        return made;
      },
    });
    const paced = pace(endpoint, health, sent, startedAt);
    await record(db, endpoint, paced, sent, clock.now());
    if (paced.status === "DISABLED") return "done";
    return restOf({ ...endpoint, ...paced }, batch, sent, clock.now());
  };
}

function isEmpty(endpoint: WebhookEndpoint, batch: Batch): boolean {
  const { items, held, closed, lost, cursor, replayCursor } = batch;
  const isStill = cursor === endpoint.cursor && replayCursor === endpoint.replayCursor;
  return isStill && items.length + held.length + closed.length + lost.length === 0;
}

/**
 * Before anything is sent: a crash leaves attempts whose outcome is unknown, and repeats them.
 * @returns false if a user or another worker was first
 */
async function begin(db: Database, endpoint: WebhookEndpoint, batch: Batch, now: Date): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await endpoints.advance(tx, endpoint, batch))) return false;
    const begun = batch.items.map(({ delivery }) => delivery);
    if (begun.length > 0) {
      deliveries.begin(tx, endpoint, begun, now);
      attempts.begin(tx, endpoint.organizationId, begun, endpoint.url, now);
    }
    if (batch.lost.length > 0) deliveries.giveUp(tx, endpoint, batch.lost);
    // Close finished deliveries first: then the mark goes to the delivery that is now the last of its subject.
    if (batch.closed.length > 0) deliveries.close(tx, endpoint, batch.closed);
    if (batch.held.length > 0) deliveries.hold(tx, endpoint, batch.held);
    if (endpoint.replayCursor !== null && batch.replayCursor === null) announceChange(tx, endpoint.id);
    return true;
  });
}

/** Pauses the endpoint until its limit of requests per second allows the next request. */
function pace(endpoint: WebhookEndpoint, health: Health, sent: readonly Sent[], startedAt: Date): Health {
  const { maxPerSecond } = endpoint;
  const made = sent.filter(({ shown }) => shown !== null).length;
  if (maxPerSecond === null || made === 0 || health.status === "DISABLED") return health;
  const until = new Date(startedAt.getTime() + Math.ceil((made * 1_000) / maxPerSecond));
  return health.resumeAt !== null && health.resumeAt > until ? health : { ...health, resumeAt: until };
}

async function record(
  db: Database,
  endpoint: WebhookEndpoint,
  health: Health,
  sent: readonly Sent[],
  now: Date,
): Promise<void> {
  const { organizationId } = endpoint;
  await db.transaction(async (tx) => {
    const made = sent.flatMap(({ shown, status, nextAttemptAt }) =>
      shown === null ? [] : [{ ...shown, nextAttemptAt: status === "PENDING" ? nextAttemptAt : null }],
    );
    const unmade = sent.filter(({ shown }) => shown === null).map(({ item }) => item.delivery);
    const ended = sent.map((one) => endingOf(endpoint, one));
    attempts.end(tx, organizationId, made);
    if (unmade.length > 0) attempts.delete(tx, organizationId, unmade);
    deliveries.end(tx, endpoint, ended);
    announceChange(tx, deliveriesOf(endpoint.id));
    if (isSame(endpoint, health)) return;
    if (!(await endpoints.setHealth(tx, endpoint, health))) return;
    const news = decideNews(endpoint, health);
    if (news === null) return;
    if (news === "recovered") deliveries.hastenProbed(tx, endpoint, now);
    emitHealth(tx, endpoint, health, news);
  });
}

/** An attempt that was not made does not count. */
function endingOf(endpoint: WebhookEndpoint, { item, shown, status, nextAttemptAt }: Sent) {
  const { id, attempts: number, spent } = item.delivery;
  if (shown !== null) return { id, number, status, attempts: number, spent, nextAttemptAt };
  const before = spent - (endpoint.status === "FAILING" ? 0 : 1);
  return { id, number, status, attempts: number - 1, spent: before, nextAttemptAt };
}

function isSame(before: Health, after: Health): boolean {
  return (
    before.status === after.status &&
    before.failures === after.failures &&
    before.resumeAt?.getTime() === after.resumeAt?.getTime()
  );
}

/** When the endpoint is due again. A paused one is never done: nothing enqueues it before its time. */
function restOf(endpoint: WebhookEndpoint, batch: Batch, sent: readonly Sent[], now: Date): ReconcileResult {
  const { resumeAt } = endpoint;
  if (resumeAt !== null && resumeAt > now) return { runAfterMs: resumeAt.getTime() - now.getTime() };
  const mayHold = sent.some(({ item }) => item.delivery.holds) || batch.held.length > 0;
  if (batch.hasMore || mayHold) return { runAfterMs: 0 };
  const waiting = sent.filter(({ status }) => status === "PENDING");
  const times = [batch.nextAt, ...waiting.map(({ nextAttemptAt }) => nextAttemptAt)]
    .filter((at) => at !== null)
    .map((at) => at.getTime());
  if (times.length === 0) return "done";
  return { runAfterMs: Math.max(0, Math.min(...times) - now.getTime()) };
}

/** Emits a change of an endpoint's health, in the transaction that records it. */
function emitHealth(
  tx: Transaction,
  endpoint: WebhookEndpoint,
  { status, disabledReason }: Health,
  news: "disabled" | "failing" | "recovered",
): void {
  const actor = slipwayOf(endpoint.organizationId);
  const { id: subjectId, url } = endpoint;
  if (news === "disabled") return emitDisabled(tx, actor, endpoint, disabledReason ?? "FAILING");
  emit(tx, actor, {
    type: WEBHOOK_EVENTS[`webhook_endpoint.${news}`],
    subjectId,
    data: dataOf({ url, status }),
  });
  announceChange(tx, subjectId);
}
