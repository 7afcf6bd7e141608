/** Finds the deliveries that may be sent to an endpoint now, in the order of sending. Reads only. */
import type { Sql } from "../../../db/database.ts";
import { newId } from "../../../lib/ids.ts";
import type { Event } from "../../events/event.ts";
import { boundsOfEvents, findEventBefore, listEvents, readEvents } from "../../events/queries.ts";
import { decideBatchSize } from "./decide-delivery.ts";
import type { Delivery } from "../delivery.ts";
import { type Beginning, deliveries } from "../delivery-store.ts";
import { matches, PING } from "../match-event.ts";
import { replayOf, type WebhookEndpoint } from "../webhook-endpoint.ts";

/** How many events one step reads at most. */
const LOOKED_AT_MAX = 100;
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

type Deps = {
  readonly sql: Sql;
  readonly endpoint: WebhookEndpoint;
  /** The types that the endpoint's patterns stand for. */
  readonly types: readonly string[];
  readonly expand: (patterns: readonly string[]) => readonly string[];
  readonly now: Date;
};

export async function gatherBatch(deps: Deps): Promise<Batch> {
  const { sql, endpoint, now } = deps;
  const { organizationId } = endpoint;
  const isPaused = endpoint.resumeAt !== null && endpoint.resumeAt > now;
  const size = decideBatchSize(endpoint, endpoint.maxPerSecond);
  const open = isPaused
    ? await deliveries.listAsked(sql, endpoint, size + SPARE_ROWS)
    : await deliveries.listOpen(sql, endpoint, size + SPARE_ROWS);
  const { last } = await boundsOfEvents(sql, organizationId);
  const isNew = new Set(deps.types);

  const due = open.filter(({ nextAttemptAt }) => nextAttemptAt <= now).slice(0, size);
  const again = await gatherAgain(deps, due, last);
  const items = [...again.items];
  const room = (): number => size - items.length;
  const closed: string[] = [];
  let hasMore = due.length === size;
  for (const row of due.filter(({ status }) => status !== "PENDING")) {
    if (room() <= 0) break;
    const following = await gatherFollowing(deps, row, isNew, room());
    items.push(...following);
    closed.push(row.id);
  }

  const replay = isPaused ? null : replayOf(endpoint);
  const replayRoom = replay === null ? 0 : Math.floor(size / REPLAY_PART);
  const fresh = isPaused
    ? { items: [], cursor: endpoint.cursor, matched: endpoint.matched, held: [] }
    : await gatherFresh(deps, isNew, last, Math.max(0, room() - replayRoom));
  items.push(...fresh.items);
  const replayed = isPaused ? null : await gatherReplay(deps, Math.max(0, room()));
  if (replayed !== null) items.push(...replayed.items);
  const replayCursor = replayed === null ? endpoint.replayCursor : replayed.cursor;
  hasMore ||= !isPaused && (fresh.cursor < last || replayCursor !== null);

  // A failing endpoint is probed with what waits longest, even before its time, if nothing else is there.
  const [first] = open;
  if (items.length === 0 && endpoint.status === "FAILING" && !isPaused && first?.status === "PENDING") {
    items.push(...(await gatherAgain(deps, [first], last)).items);
  }
  const nextAt = open.find((row) => row.nextAttemptAt > now)?.nextAttemptAt ?? null;
  const { cursor, matched, held } = fresh;
  return { items, cursor, matched, replayCursor, held, closed, lost: again.lost, nextAt, hasMore };
}

/** The next attempts of deliveries. */
async function gatherAgain(
  { sql, endpoint, now }: Deps,
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
  const range = { after: row.previousSequence ?? 0, last, limit: LOOKED_AT_MAX };
  const filter = { types: [PING], projectId: null, environmentId: null, subjectId: row.endpointId };
  const { events } = await readEvents(sql, row.organizationId, range, filter);
  return events.find(({ data }) => data["deliveryId"] === row.id) ?? null;
}

/** The events of a subject that were passed over because of a delivery that is done now. */
async function gatherFollowing(
  { sql, endpoint, types }: Deps,
  row: Delivery,
  isNew: ReadonlySet<string>,
  limit: number,
): Promise<readonly Item[]> {
  const { organizationId, cursor, projectId, environmentId } = endpoint;
  const filter = { types, projectId, environmentId, subjectId: row.subjectId };
  for (let after = row.sequence ?? cursor; after < cursor;) {
    const { events } = await readEvents(sql, organizationId, { after, last: cursor, limit }, filter);
    const wanted = events.filter((event) => matches(endpoint, isNew, event));
    const present = await deliveries.listOfEvents(
      sql,
      endpoint,
      wanted.map(({ sequence }) => sequence),
    );
    const unsent = wanted.filter(({ sequence }) => !present.some((one) => one.sequence === sequence));
    const items: Item[] = [];
    for (const event of unsent)
      items.push(itemOf(endpoint, event, await newDelivery(sql, endpoint, types, event)));
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
async function gatherFresh(
  { sql, endpoint, types }: Deps,
  isNew: ReadonlySet<string>,
  last: number,
  room: number,
) {
  const { organizationId, cursor: after, projectId, environmentId } = endpoint;
  let { cursor, matched } = endpoint;
  const items: Item[] = [];
  const held: string[] = [];
  if (room === 0 || after >= last) return { items, cursor, matched, held };
  const range = { after, last, limit: LOOKED_AT_MAX };
  const filter = { types, projectId, environmentId, subjectId: null };
  const batch = await readEvents(sql, organizationId, range, filter);
  const wanted = batch.events.filter((event) => matches(endpoint, isNew, event));
  const subjects = [...new Set(wanted.map(({ subjectId }) => subjectId))];
  const waiting =
    subjects.length === 0 ? new Set() : await deliveries.listHeldSubjects(sql, endpoint, subjects);
  for (const event of wanted) {
    if (items.length === room) return { items, cursor, matched, held };
    if (waiting.has(event.subjectId)) held.push(event.subjectId);
    else items.push(itemOf(endpoint, event, { ...unsentDelivery(event, "auto"), previousSequence: matched }));
    matched = event.sequence;
    cursor = event.sequence;
  }
  return { items, cursor: batch.through, matched, held };
}

/** The next part of a replay; null if there is none, or no room. `cursor` is null at its end. */
async function gatherReplay(deps: Deps, room: number) {
  const { sql, endpoint, types } = deps;
  const replay = replayOf(endpoint);
  if (replay === null || room === 0) return null;
  const { cursor: after, through } = replay;
  const wantedTypes =
    replay.types === null ? types : deps.expand(replay.types).filter((type) => types.includes(type));
  if (replay.isOfFailed) {
    const rows = await deliveries.listFailed(sql, endpoint, { after, through, limit: room }, wantedTypes);
    const found = await listEvents(
      sql,
      endpoint.organizationId,
      rows.flatMap(({ sequence }) => sequence ?? []),
    );
    const items = rows.flatMap((row) => {
      const event = found.find(({ sequence }) => sequence === row.sequence);
      return event === undefined ? [] : [itemOf(endpoint, event, renewed(row))];
    });
    return { items, cursor: rows.length < room ? null : (rows.at(-1)?.sequence ?? null) };
  }
  const { projectId, environmentId } = endpoint;
  const filter = { types: wantedTypes, projectId, environmentId, subjectId: null };
  const batch = await readEvents(sql, endpoint.organizationId, { after, last: through, limit: room }, filter);
  const wanted = batch.events.filter((event) => matches(endpoint, new Set(wantedTypes), event));
  const present = await deliveries.listOfEvents(
    sql,
    endpoint,
    wanted.map(({ sequence }) => sequence),
  );
  const items: Item[] = [];
  for (const event of wanted) {
    const row = present.find(({ sequence }) => sequence === event.sequence);
    if (row?.isOpen === true) continue;
    const delivery = row === undefined ? await newDelivery(sql, endpoint, types, event) : row;
    items.push(itemOf(endpoint, event, renewed(delivery)));
  }
  return { items, cursor: batch.through >= through ? null : batch.through };
}

/** A delivery whose schedule begins again. */
function renewed<T extends Pick<Delivery, "trigger" | "spent">>(row: T): T {
  return { ...row, trigger: "replay", spent: 0 };
}

function unsentDelivery({ sequence, id, type, subjectId }: Event, trigger: Delivery["trigger"]) {
  const event = { sequence, eventId: id, eventType: type, subjectId };
  return { ...event, id: newId("whd"), trigger, attempts: 0, spent: 0, holds: false };
}

async function newDelivery(sql: Sql, endpoint: WebhookEndpoint, types: readonly string[], event: Event) {
  const { organizationId, projectId, environmentId } = endpoint;
  const place = { types, projectId, environmentId };
  const previousSequence = await findEventBefore(sql, organizationId, event.sequence, place);
  return { ...unsentDelivery(event, "auto"), previousSequence };
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
