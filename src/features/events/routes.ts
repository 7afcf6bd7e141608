import { Type } from "typebox";
import type { Changes } from "../../db/changes.ts";
import type { Database, Sql } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { PAGE_QUERY } from "../../http/requests/paging.ts";
import { Body } from "../../http/schemas.ts";
import { isAdmin, visibleTo } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, COMMON_FAULTS, type DeclaredFault, invalidRequest } from "../../lib/errors.ts";
import { EVENT_ERRORS, EVENT_FAULTS } from "./errors.ts";
import type { EventFilter } from "./event.ts";
import type { EventCatalogue } from "./event-catalogue.ts";
import { streamEvents } from "./stream-events.ts";
import { eventsOf } from "./sequence-events.ts";
import { boundsOfEvents, findLastBefore, readEvents } from "./queries.ts";
import { EventFeedSchema, EventListSchema, viewEvent } from "./views.ts";

const EVENTS: Tag = {
  name: "Events",
  description:
    "Changes in the organization, in order and without gaps: read them, stream them, or have them sent to your own endpoint.",
};

const QUERY = Body({
  after: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,15}$",
      description:
        "The number of an event: the events after it are returned. By default, a list begins with the oldest kept event, and a stream with the next event.",
      examples: ["57"],
    }),
  ),
  withinSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description:
        "Begins this number of seconds ago: for a reader that knows how old its data are, but no event. If `after` is given too, the later of both counts.",
      examples: [60],
    }),
  ),
  types: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: "Only these types, separated by commas. `domain.*` means all types of that subject.",
      examples: ["domain.*,deployment.failed"],
    }),
  ),
  subjectId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Only events about this resource." }),
  ),
  limit: PAGE_QUERY.limit,
});

type Query = { readonly types?: string; readonly subjectId?: string };
type Start = { readonly after?: string; readonly withinSeconds?: number };

export function registerEventRoutes(
  http: Http,
  deps: {
    readonly db: Database;
    readonly clock: Clock;
    readonly changes: Changes;
    readonly catalogue: EventCatalogue;
    readonly publicUrl: string;
  },
): void {
  const { db, clock, catalogue, publicUrl } = deps;

  /** @throws AppError as `positionOf` */
  const startOf = async (sql: Sql, organizationId: string, { after, withinSeconds }: Start) => {
    const start = await positionOf(sql, organizationId, after, "query/after");
    if (withinSeconds === undefined) return start;
    const from = new Date(clock.now().getTime() - withinSeconds * 1_000);
    const before = await findLastBefore(sql, organizationId, from);
    return { ...start, after: Math.max(before, start.after ?? 0) };
  };

  const filterOf = (actor: Actor, { types, subjectId }: Query): EventFilter => {
    const readable = catalogue.readableBy(
      actor.role === "admin" && !isAdmin(actor) ? "developer" : actor.role,
    );
    const asked = types === undefined ? null : readTypes(catalogue, types);
    return {
      types: asked?.filter((type) => readable?.includes(type) !== false) ?? readable,
      projectId: null,
      environmentId: null,
      subjectId: subjectId ?? null,
      reader: { visible: visibleTo(actor), userId: actor.role === "admin" ? null : actor.userId },
    };
  };

  http.read({
    path: "/v1/events",
    role: "viewer",
    scope: "read",
    reach: "projects",
    tag: EVENTS,
    summary: "List events",
    description:
      "Events are kept for 30 days. Pass `nextCursor` as `after` to continue; it is never null, because more events will come. With `Prefer: wait=N` the request is held until there is an event. With `Accept: text/event-stream` events are streamed as they happen: first `position`, then `message` for each event, `position` again when no event has matched for a while, and `refused` when the key may no longer read them. Events about API keys, git integrations and webhook endpoints are shown to admins only.",
    query: QUERY,
    response: EventListSchema,
    eventSchema: EventFeedSchema,
    hasPlainCursors: true,
    watch: ({ actor }) => [eventsOf(actor.organizationId)],
    isHeld: ({ events, hasMore }) => events.length === 0 && !hasMore,
    handle: async ({ sql, actor, query }) => {
      const { organizationId } = actor;
      const filter = filterOf(actor, query);
      const { after, oldest, last } = await startOf(sql, organizationId, query);
      const range = { after: after ?? oldest - 1, last, limit: query.limit };
      const { events, through } = await readEvents(sql, organizationId, range, filter);
      return {
        events: events.map((event) => viewEvent(event, publicUrl)),
        nextCursor: String(through),
        hasMore: through < last,
      };
    },
    async *events({ actor, query, lastEventId, signal }) {
      const { organizationId } = actor;
      const filter = filterOf(actor, query);
      const { after, last } =
        lastEventId === null
          ? await startOf(db, organizationId, query)
          : await positionOf(db, organizationId, lastEventId, "headers/last-event-id");
      for await (const one of streamEvents(deps, organizationId, after ?? last, filter, signal)) {
        if ("event" in one)
          yield { event: "message", id: String(one.event.sequence), data: viewEvent(one.event, publicUrl) };
        else yield { event: "position", id: String(one.position), data: {} };
      }
    },
  });
}

/**
 * The position after which to read; null if none is given. @throws AppError `EVENTS_EXPIRED` if an event after it is no
 * longer kept, `INVALID_REQUEST` if the last event is before it
 */
async function positionOf(
  sql: Sql,
  organizationId: string,
  given: string | undefined,
  where: string,
): Promise<{ readonly after: number | null; readonly oldest: number; readonly last: number }> {
  const { oldest, last } = await boundsOfEvents(sql, organizationId);
  if (given === undefined) return { after: null, oldest, last };
  if (!/^[0-9]{1,15}$/.test(given))
    throw invalid(where, COMMON_FAULTS.WRONG_FORM, "must be the number of an event");
  const after = Number(given);
  if (after > last)
    throw invalid(
      where,
      EVENT_FAULTS.AFTER_THE_LAST,
      `must be at most ${last}, the number of the last event`,
    );
  if (after < oldest - 1) {
    throw new AppError(
      EVENT_ERRORS.EVENTS_EXPIRED,
      `Events up to ${oldest - 1} are no longer kept. The oldest that is kept is ${oldest}.`,
      { extensions: { oldest } },
    );
  }
  return { after, oldest, last };
}

/** @throws AppError `INVALID_REQUEST` for an unknown type */
function readTypes(catalogue: EventCatalogue, text: string): readonly string[] {
  const patterns = text.split(",").map((one) => one.trim());
  const { types, unknown } = catalogue.expand(patterns);
  if (types !== undefined) return types;
  throw invalid(
    "query/types",
    EVENT_FAULTS.UNKNOWN_EVENT_TYPE,
    `has no type "${(patterns[unknown.index] ?? "").slice(0, 100)}"${unknown.nearest === null ? "" : `; the nearest is "${unknown.nearest}"`}`,
  );
}

function invalid(path: string, { code }: DeclaredFault, message: string): AppError {
  return invalidRequest([{ path, code, message }]);
}
