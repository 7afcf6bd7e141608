/** Finds the deliveries that may be sent to an endpoint now, in the order of sending. Reads only. */
import type { Sql } from "../../db/database.ts";
import { newId } from "../../lib/ids.ts";
import type { Event, EventPlace } from "../events/event.ts";
import { boundsOfEvents, findEventBefore, listEvents, readEvents } from "../events/queries.ts";
import { decideBatchSize } from "./decide-delivery.ts";
import { type Beginning, deliveries } from "./delivery-store.ts";
import type { Delivery } from "./delivery.ts";
import { PING } from "./events.ts";
import { replayOf, type WebhookEndpoint } from "./webhook-endpoint.ts";

/** How many events one step reads at most. */
const READ_MAX = 100;
/** Beyond a batch, so that pings that have no number yet do not fill it. */
const SPARE_ROWS = 4;
/** A replay gets this part of a batch at least, so that new events do not starve it. */
const REPLAY_PART = 4;
/** A ping has its number within a second or so. */
const PING_LOST_MS = 3_600_000;

export type Item = { readonly delivery: Beginning; readonly event: Event };

export type Batch = {
  /** Those of one subject are sent one after another. */
  readonly items: readonly Item[];
  readonly cursor: number;
  readonly matched: number | null;
  readonly replayCursor: number | null;
  /** Later events of these subjects were passed over. */
  readonly held: readonly string[];
  /** Deliveries whose later events of the same subject are now on their way, or do not exist. */
  readonly closed: readonly string[];
  /** Deliveries whose event is no longer kept. */
  readonly lost: readonly string[];
  /** When the first of the rest is due; null if there is none. */
  readonly nextAt: Date | null;
  /** Whether there is more than this batch. */
  readonly hasMore: boolean;
};

type Context = {
  readonly sql: Sql;
  readonly endpoint: WebhookEndpoint;
  /** Which events the endpoint gets. Pings only go to their own endpoint, as deliveries that their creation made. */
  readonly filter: EventPlace & { readonly types: readonly string[] };
  readonly expand: (patterns: readonly string[]) => readonly string[];
  readonly now: Date;
};

/** @param expand gives the types that patterns stand for */
export async function gatherBatch(
  sql: Sql,
  endpoint: WebhookEndpoint,
  expand: Context["expand"],
  now: Date,
): Promise<Batch> {
  const { organizationId, projectId, environmentId } = endpoint;
  const types = expand(endpoint.types).filter((type) => type !== PING);
  const context: Context = { sql, endpoint, filter: { types, projectId, environmentId }, expand, now };
  const isPaused = endpoint.resumeAt !== null && endpoint.resumeAt > now;
  const size = decideBatchSize(endpoint, endpoint.maxPerSecond);
  const open = isPaused
    ? await deliveries.listAsked(sql, endpoint, size + SPARE_ROWS)
    : await deliveries.listOpen(sql, endpoint, size + SPARE_ROWS);
  const { last } = await boundsOfEvents(sql, organizationId);

  const due = open.filter(({ nextAttemptAt }) => nextAttemptAt <= now).slice(0, size);
  const again = await gatherAgain(context, due, last);
  const items = [...again.items];
  const room = (): number => size - items.length;
  const closed: string[] = [];
  let hasMore = due.length === size;
  for (const row of due.filter(({ status }) => status !== "PENDING")) {
    if (room() <= 0) break;
    items.push(...(await gatherFollowing(context, row, room())));
    closed.push(row.id);
  }

  const replay = isPaused ? null : replayOf(endpoint);
  const replayRoom = replay === null ? 0 : Math.floor(size / REPLAY_PART);
  const fresh = isPaused
    ? { items: [], cursor: endpoint.cursor, matched: endpoint.matched, held: [] }
    : await gatherFresh(context, last, Math.max(0, room() - replayRoom));
  items.push(...fresh.items);
  const replayed = isPaused ? null : await gatherReplay(context, Math.max(0, room()));
  if (replayed !== null) items.push(...replayed.items);
  const replayCursor = replayed === null ? endpoint.replayCursor : replayed.cursor;
  hasMore ||= !isPaused && (fresh.cursor < last || replayCursor !== null);

  // A failing endpoint is probed with what waits longest, even before its time, if nothing else is there.
  const [first] = open;
  if (items.length === 0 && endpoint.status === "FAILING" && !isPaused && first?.status === "PENDING") {
    items.push(...(await gatherAgain(context, [first], last)).items);
  }
  const nextAt = open.find((row) => row.nextAttemptAt > now)?.nextAttemptAt ?? null;
  const { cursor, matched, held } = fresh;
  return { items, cursor, matched, replayCursor, held, closed, lost: again.lost, nextAt, hasMore };
}

/** The next attempts of deliveries. */
async function gatherAgain(
  { sql, endpoint, now }: Context,
  rows: readonly Delivery[],
  last: number,
): Promise<{ readonly items: readonly Item[]; readonly lost: readonly string[] }> {
  const pending = rows.filter(({ status }) => status === "PENDING");
  const sequences = pending.flatMap(({ sequence }) => sequence ?? []);
  const found = await listEvents(sql, endpoint.organizationId, sequences);
  const bySequence = new Map(found.map((event) => [event.sequence, event]));
  const items: Item[] = [];
  const lost: string[] = [];
  for (const row of pending) {
    const isUnnumbered = row.sequence === null;
    const event = isUnnumbered ? await findPing(sql, row, last) : (bySequence.get(row.sequence ?? 0) ?? null);
    if (event !== null) items.push(itemOf(endpoint, event, row));
    else if (!isUnnumbered || now.getTime() - row.createdAt.getTime() > PING_LOST_MS) lost.push(row.id);
  }
  return { items, lost };
}

async function findPing(sql: Sql, row: Delivery, last: number): Promise<Event | null> {
  const range = { after: row.previousSequence ?? 0, last, limit: READ_MAX };
  const filter = { types: [PING], projectId: null, environmentId: null, subjectId: row.endpointId };
  const { events } = await readEvents(sql, row.organizationId, range, filter);
  return events.find(({ data }) => data["deliveryId"] === row.id) ?? null;
}

/** The events of a subject that were passed over because of a delivery that is done now. */
async function gatherFollowing(context: Context, row: Delivery, limit: number): Promise<readonly Item[]> {
  const { sql, endpoint } = context;
  const { organizationId, cursor } = endpoint;
  const filter = { ...context.filter, subjectId: row.subjectId };
  for (let after = row.sequence ?? cursor; after < cursor;) {
    const { events } = await readEvents(sql, organizationId, { after, last: cursor, limit }, filter);
    const present = await listPresent(context, events);
    const items: Item[] = [];
    for (const event of events)
      if (!present.has(event.sequence))
        items.push(itemOf(endpoint, event, await newDelivery(context, event)));
    const isAll = events.length < limit;
    const tail = items.pop();
    // What follows later is found through the last of them.
    if (tail !== undefined) return [...items, { ...tail, delivery: { ...tail.delivery, holds: !isAll } }];
    if (isAll) return [];
    after = events.at(-1)?.sequence ?? cursor;
  }
  return [];
}

/** Events after the cursor. Those of a subject that waits are passed over. */
async function gatherFresh({ sql, endpoint, filter }: Context, last: number, room: number) {
  const { organizationId, cursor: after } = endpoint;
  let { cursor, matched } = endpoint;
  const items: Item[] = [];
  const held: string[] = [];
  if (room === 0 || after >= last) return { items, cursor, matched, held };
  const range = { after, last, limit: READ_MAX };
  const batch = await readEvents(sql, organizationId, range, { ...filter, subjectId: null });
  const subjects = [...new Set(batch.events.map(({ subjectId }) => subjectId))];
  const waiting = new Set(await deliveries.listHeldSubjects(sql, endpoint, subjects));
  for (const event of batch.events) {
    if (items.length === room) return { items, cursor, matched, held };
    if (waiting.has(event.subjectId)) held.push(event.subjectId);
    else items.push(itemOf(endpoint, event, { ...unsentDelivery(event), previousSequence: matched }));
    matched = event.sequence;
    cursor = event.sequence;
  }
  return { items, cursor: batch.through, matched, held };
}

/** The next part of a replay; null if there is none, or no room. `cursor` is null at its end. */
async function gatherReplay(context: Context, room: number) {
  const { sql, endpoint, filter, expand } = context;
  const replay = replayOf(endpoint);
  if (replay === null || room === 0) return null;
  const { cursor: after, through } = replay;
  const replayed = replay.types === null ? null : expand(replay.types);
  const types = filter.types.filter((type) => replayed?.includes(type) !== false);
  if (replay.isOfFailed) {
    const rows = await deliveries.listFailed(sql, endpoint, { after, through, limit: room }, types);
    const sequences = rows.flatMap(({ sequence }) => sequence ?? []);
    const found = await listEvents(sql, endpoint.organizationId, sequences);
    const items = rows.flatMap((row) => {
      const event = found.find(({ sequence }) => sequence === row.sequence);
      return event === undefined ? [] : [itemOf(endpoint, event, renewed(row))];
    });
    return { items, cursor: rows.length < room ? null : (rows.at(-1)?.sequence ?? null) };
  }
  const range = { after, last: through, limit: room };
  const ofReplay = { ...filter, types, subjectId: null };
  const batch = await readEvents(sql, endpoint.organizationId, range, ofReplay);
  const present = await listPresent(context, batch.events);
  const items: Item[] = [];
  for (const event of batch.events) {
    const row = present.get(event.sequence);
    if (row?.isOpen === true) continue;
    items.push(itemOf(endpoint, event, renewed(row ?? (await newDelivery(context, event)))));
  }
  return { items, cursor: batch.through >= through ? null : batch.through };
}

/** The deliveries that some events have, by the number of the event. */
async function listPresent(
  { sql, endpoint }: Context,
  events: readonly Event[],
): Promise<ReadonlyMap<number | null, Delivery>> {
  const sequences = events.map(({ sequence }) => sequence);
  const rows = await deliveries.listOfEvents(sql, endpoint, sequences);
  return new Map(rows.map((row) => [row.sequence, row]));
}

/** A delivery whose schedule begins again. */
function renewed<T extends Pick<Delivery, "trigger" | "spent">>(row: T): T {
  return { ...row, trigger: "replay", spent: 0 };
}

function unsentDelivery({ sequence, id, type, subjectId }: Event): Omit<Beginning, "previousSequence"> {
  const event = { sequence, eventId: id, eventType: type, subjectId };
  return { ...event, id: newId("whd"), trigger: "auto", attempts: 0, spent: 0, holds: false };
}

async function newDelivery({ sql, endpoint, filter }: Context, event: Event): Promise<Beginning> {
  const previousSequence = await findEventBefore(sql, endpoint.organizationId, event.sequence, filter);
  return { ...unsentDelivery(event), previousSequence };
}

/** The delivery with one more attempt. A probe of a failing endpoint does not count for the schedule. */
function itemOf(endpoint: WebhookEndpoint, event: Event, row: Omit<Beginning, "eventId">): Item {
  const spent = row.spent + (endpoint.status === "FAILING" ? 0 : 1);
  const previousSequence = event.type === PING ? null : row.previousSequence;
  const { sequence, id: eventId } = event;
  return {
    event,
    delivery: { ...row, sequence, eventId, previousSequence, attempts: row.attempts + 1, spent },
  };
}
