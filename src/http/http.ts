/**
 * How features declare their endpoints. A read runs statements and returns a body; a write runs one
 * command in one transaction, which also holds its audit entry and its idempotency record, so that an
 * answer is repeatable exactly when its effect is there. What asks the outside world goes into
 * `prepare`, before the transaction: no connection is held while somebody else's server thinks.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import type { Database, Sql, Transaction } from "../db/database.ts";
import { type Actor, requireRole, type Role } from "../lib/actor.ts";
import type { Authentication } from "./auth.ts";
import type { Changes } from "../db/changes.ts";
import { type Rendering, sendConditionally } from "./requests/conditional.ts";
import { createCursors, cursorScopeOf, withCursor } from "./requests/cursors.ts";
import type { Hold, Holds } from "./limits/holds.ts";
import { type Answer, createIdempotency, type IdempotencySealing } from "./requests/idempotency.ts";
import { AppError, COMMON_FAULTS, type Fault, invalidRequest } from "../lib/errors.ts";
import { escapePointer } from "../lib/json-pointer.ts";
import { sendEvents, type ServerEvent, wantsEvents } from "./event-stream.ts";
import { operationIdOf } from "./openapi/operation-id.ts";
import type { Tag } from "./openapi/openapi.ts";
import type { Params } from "./requests/params.ts";
import { pathParametersOf } from "./openapi/path-parameters.ts";
import { createPreconditions, type Precondition } from "./requests/precondition.ts";
import { CHANGE_HEADERS, IDEMPOTENCY_HEADERS, WAIT_HEADERS } from "./requests/request-headers.ts";
import { NO_QUERY } from "./schemas.ts";

type Described = {
  /** A short sentence in the imperative; the title in the reference. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  /** Name of the operation in generated clients, where the one that follows from method and path will not do. */
  readonly operationId?: string;
  readonly role: Role;
  /** By status: the members in which the example of this answer differs from what its schema gives. */
  readonly examples?: Readonly<Record<number, object>>;
};

export type ReadRoute<Path extends string, Q extends TSchema, R extends TSchema> = Described & {
  readonly path: Path;
  readonly query?: Q;
  readonly response: R;
  /**
   * Ids whose change may change the answer, which is `body` now. Makes `Prefer: wait` available; called only for a
   * client that waits.
   */
  readonly watch?: (request: {
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
    body: Static<R>;
  }) => readonly string[] | Promise<readonly string[]>;
  /** `sql` is the transaction of a write whose If-Match is compared with the answer, else the database. */
  readonly handle: (request: {
    sql: Sql;
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
  }) => Promise<Static<R>>;
  /** Makes `Accept: text/event-stream` available: what comes, live, until `signal` fires. */
  readonly events?: (request: {
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
    /** The id of the last event that a client had which comes again. */
    lastEventId: string | null;
    signal: AbortSignal;
  }) => AsyncIterable<ServerEvent>;
  /** One of these events, as a choice (`oneOf`) by its `event`, for the reference. */
  readonly eventSchema?: TSchema;
};

export type Reply = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
  /** Path of the resource that was made, or where its progress shows. */
  readonly location?: string;
};

type Method<Path extends string> =
  | { readonly method: "POST"; readonly precondition?: never }
  | { readonly method: "PATCH" | "PUT" | "DELETE"; readonly precondition: Precondition<Path> };

export type WriteRoute<Path extends string, B extends TSchema, Prepared> = Described &
  Method<Path> & {
    readonly path: Path;
    readonly body?: B;
    /** By status; null for an answer without body. */
    readonly responses: Readonly<Partial<Record<Reply["status"], TSchema | null>>>;
    /**
     * What the schema cannot say of a body, reported beside what it says, all at once. Gets whatever was
     * sent, of the right shape or not. Pure.
     */
    readonly findFaults?: (body: unknown) => readonly Fault[];
    readonly prepare?: (request: {
      actor: Actor;
      params: Params<Path>;
      body: Static<B>;
    }) => Promise<Prepared>;
    readonly commit: (request: {
      tx: Transaction;
      actor: Actor;
      params: Params<Path>;
      body: Static<B>;
      prepared: Prepared;
    }) => Promise<Reply>;
  };

export interface Http {
  read<const Path extends string, R extends TSchema, Q extends TSchema = typeof NO_QUERY>(
    route: ReadRoute<Path, Q, R>,
  ): void;
  write<const Path extends string, B extends TSchema = TSchema, Prepared = undefined>(
    route: WriteRoute<Path, B, Prepared>,
  ): void;
}

export function createHttp(options: {
  app: FastifyInstance;
  db: Database;
  changes: Changes;
  sealing: IdempotencySealing;
  authentication: Authentication;
  holds: Holds;
  /** Fires when the service begins to end. */
  draining: AbortSignal;
}): Http {
  const { app, db, changes, draining, authentication, holds } = options;
  const idempotency = createIdempotency(options.sealing);
  const cursors = createCursors(options.sealing.fingerprint);
  const preconditions = createPreconditions();
  app.addHook("onReady", (done) => done(preconditions.findGap()));

  const schemaOf = (method: string, route: Described & { path: string }, more: object): object => ({
    operationId: route.operationId ?? operationIdOf(method, route.path),
    summary: route.summary,
    description: [route.description, `Needs the role \`${route.role}\`.`].filter(Boolean).join("\n\n"),
    tag: route.tag,
    ...(route.examples === undefined ? {} : { examples: route.examples }),
    params: pathParametersOf(route.path),
    ...more,
  });

  /** Before the body is read or looked at: who may not do this learns nothing of its form. */
  const admit =
    (role: Role) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await authentication.authenticate(request, reply);
      requireRole(actorOf(request), role);
    };

  /** Whatever the handler writes is the caller's organization's: the second wall behind its statements. */
  const forOrganization =
    (handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      await db.within(actorOf(request).organizationId, () => handle(request, reply));

  return {
    read(route) {
      type Query = Static<NonNullable<(typeof route)["query"]>>;
      const shown = route.response as object as Record<string, unknown>;
      preconditions.addRead(route.path, async ({ sql, actor, params, reply }) => {
        const of = { params: params as Params<(typeof route)["path"]>, query: {} as Query };
        const body = await route.handle({ sql, actor, ...of });
        return reply.compileSerializationSchema(shown)(body);
      });
      app.route({
        method: "GET",
        url: route.path,
        schema: schemaOf("GET", route, {
          ...(route.watch === undefined ? {} : { headers: WAIT_HEADERS }),
          querystring: route.query ?? NO_QUERY,
          response: { 200: route.response },
          ...(route.events === undefined ? {} : { events: route.eventSchema }),
        }),
        onRequest: admit(route.role),
        handler: async (request, reply) => {
          const actor = actorOf(request);
          const params = request.params as Params<(typeof route)["path"]>;
          const scope = cursorScopeOf(actor, route.path, request);
          const given = request.query as Query;
          const cursor: unknown = Reflect.get(given, "cursor");
          const after = typeof cursor === "string" ? await cursors.open(scope, cursor, "query/cursor") : "";
          const query = withCursor(given, "cursor", () => after);
          const { events, role } = route;
          const hold = (kind: "wait" | "stream") => (): Hold =>
            holds.begin({
              actor,
              role,
              kind,
              authenticateAgain: () => authentication.authenticateAgain(request),
            });
          if (events !== undefined && wantsEvents(request)) {
            const id = request.headers["last-event-id"];
            const lastEventId =
              typeof id === "string" && id !== ""
                ? await cursors.open(scope, id, "headers/last-event-id")
                : null;
            return await sendEvents(request, reply, {
              signal: draining,
              hold: hold("stream")(),
              open: async function* (signal) {
                for await (const event of events({ actor, params, query, lastEventId, signal }))
                  yield withCursor(event, "id", (place) => cursors.make(scope, place));
              },
            });
          }
          const render = async (): Promise<Rendering> => {
            const answer = await route.handle({ sql: db, actor, params, query });
            const body = withCursor(answer, "nextCursor", (place) => cursors.make(scope, place));
            const { watch } = route;
            return {
              text: serialize(reply.code(200), body),
              watch: watch === undefined ? null : async () => await watch({ actor, params, query, body }),
            };
          };
          return await sendConditionally({ request, reply, render, changes, draining, hold: hold("wait") });
        },
      });
    },
    write(route) {
      preconditions.addWrite(route);
      const responses = Object.entries(route.responses).map(([status, schema]) => [
        status,
        schema ?? Type.Null({ description: "There is no body." }),
      ]);
      app.route({
        method: route.method,
        url: route.path,
        schema: schemaOf(route.method, route, {
          querystring: NO_QUERY,
          ...(route.body === undefined ? {} : { body: route.body }),
          headers: route.precondition === undefined ? IDEMPOTENCY_HEADERS : CHANGE_HEADERS,
          response: Object.fromEntries(responses),
        }),
        ...(route.findFaults === undefined
          ? {}
          : { validatorCompiler: withFaults(app.validatorCompiler, route.findFaults) }),
        onRequest: admit(route.role),
        handler: forOrganization(async (request, reply) => {
          const actor = actorOf(request);
          if (route.body === undefined) refuseBody(request.body);
          const params = request.params as Params<(typeof route)["path"]>;
          const body = request.body as Static<NonNullable<(typeof route)["body"]>>;
          const once = idempotency.forRequest(request, actor);
          const ifMatches = preconditions.forRequest(request, actor, route);
          // All that was needed of it is a fingerprint, and it may hold secrets.
          request.rawBody?.fill(0);
          const replayed = await once?.find(db);
          if (replayed) return sendAnswer(reply, replayed, true);
          const prepared = (await route.prepare?.({ actor, params, body })) as Parameters<
            typeof route.commit
          >[0]["prepared"];
          const { answer, isReplay } = await db.transaction(async (tx) => {
            await once?.lock(tx);
            const first = await once?.find(tx);
            if (first) return { answer: first, isReplay: true };
            await ifMatches?.(tx, reply);
            const result = await route.commit({ tx, actor, params, body, prepared });
            const made = toAnswer(reply, result);
            await once?.save(tx, made);
            return { answer: made, isReplay: false };
          });
          return sendAnswer(reply, answer, isReplay);
        }),
      });
    },
  };
}

/** The server's own validation of a body, and what `findFaults` finds beside it. */
function withFaults(
  compile: FastifySchemaCompiler<object> | undefined,
  findFaults: (body: unknown) => readonly Fault[],
): FastifySchemaCompiler<object> {
  if (compile === undefined) throw new Error("The server has no validator yet.");
  return (part) => {
    const validate = compile(part);
    if (part.httpPart !== "body") return validate;
    return (body: unknown) => {
      const result = validate(body) as { value: unknown } | { error: Error };
      const error = "error" in result ? result.error : null;
      if (error !== null && !(error instanceof AppError)) return result;
      const faults = [...(error?.faults ?? []), ...findFaults(body)];
      return faults.length === 0 ? result : { error: invalidRequest(faults) };
    };
  };
}

/** Some clients send `{}` with every request; anything more was meant to have an effect. */
function refuseBody(body: unknown): void {
  if (body === undefined || body === null) return;
  const names = typeof body === "object" && !Array.isArray(body) ? Object.keys(body) : null;
  if (names === null) {
    throw invalidRequest([
      { path: "", code: COMMON_FAULTS.WRONG_TYPE.code, message: "this request takes no body" },
    ]);
  }
  if (names.length === 0) return;
  throw invalidRequest(
    names.map((name) => ({
      path: `/${escapePointer(name)}`,
      code: COMMON_FAULTS.UNKNOWN_FIELD.code,
      message: "is not a field of this request, which takes no body",
    })),
  );
}

function toAnswer(reply: FastifyReply, result: Reply): Answer {
  const { status, location = null } = result;
  return {
    status,
    location,
    body: result.body === undefined ? null : serialize(reply.code(status), result.body),
  };
}

function sendAnswer(reply: FastifyReply, answer: Answer, isReplay: boolean): FastifyReply {
  if (isReplay) reply.header("idempotent-replayed", "true");
  if (answer.location !== null) reply.header("location", answer.location);
  reply.code(answer.status);
  return answer.body === null ? reply.send() : sendText(reply, answer.body);
}

/** By the route's response schema for the status that is set on `reply`. */
function serialize(reply: FastifyReply, body: unknown): string {
  const text = reply.serialize(body);
  if (typeof text !== "string")
    throw new TypeError("A response schema serialized to something else than text.");
  return text;
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").serializer(String).send(text);
}

function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error("The route was reached without authentication.");
  return request.actor;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by authentication; null on routes without. */
    actor: Actor | null;
    /** The body as it came, for fingerprints and signatures; zeros once a write has taken its fingerprint. */
    rawBody: Buffer | null;
  }
}
