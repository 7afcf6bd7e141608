/**
 * How features declare their endpoints. A read runs statements and returns a body; a write runs one
 * command in one transaction, which also holds its audit entry and its idempotency record, so that an
 * answer is repeatable exactly when its effect is there; or one statement, which is a transaction too
 * (`commitAlone`). What asks the outside world goes into
 * `prepare`, before the transaction: no connection is held while somebody else's server thinks.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import type { Database, Transaction } from "../db/database.ts";
import { type Actor, requireRole, type Role } from "../actor.ts";
import type { Authenticate } from "./auth.ts";
import type { Changes } from "../db/changes.ts";
import { type Rendering, sendConditionally } from "./conditional.ts";
import { type Answer, createIdempotency, type IdempotencySealing } from "./idempotency.ts";
import { AppError, type Fault } from "../errors.ts";
import { escapePointer } from "../json-pointer.ts";
import { sendEvents, type ServerEvent, wantsEvents } from "./event-stream.ts";
import { operationIdOf } from "./operation-id.ts";
import { PROBLEMS } from "./openapi.ts";
import { NO_QUERY } from "./schemas.ts";
import { invalidRequest } from "./validation.ts";

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: string };

type Described = {
  /** A short sentence in the imperative; the title in the reference. */
  readonly summary: string;
  readonly description?: string;
  /** The group in the reference. */
  readonly tag: string;
  /** Name of the operation in generated clients, where the one that follows from method and path will not do. */
  readonly operationId?: string;
  readonly role: Role;
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
  readonly handle: (request: { actor: Actor; params: Params<Path>; query: Static<Q> }) => Promise<Static<R>>;
  /** Makes `Accept: text/event-stream` available: what comes, live, until `signal` fires. */
  readonly events?: (request: {
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
    /** The id of the last event that a client had which comes again. */
    lastEventId: string | null;
    signal: AbortSignal;
  }) => AsyncIterable<ServerEvent>;
};

export type Reply = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
  /** Path of the resource that was made, or where its progress shows. */
  readonly location?: string;
};

export type WriteRoute<Path extends string, B extends TSchema, Prepared> = Described & {
  readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: Path;
  readonly body?: B;
  /** By status; null for an answer without body. */
  readonly responses: Readonly<Partial<Record<Reply["status"], TSchema | null>>>;
  /**
   * What the schema cannot say of a body, reported beside what it says, all at once. Gets whatever was
   * sent, of the right shape or not. Pure.
   */
  readonly findFaults?: (body: unknown) => readonly Fault[];
  readonly prepare?: (request: { actor: Actor; params: Params<Path>; body: Static<B> }) => Promise<Prepared>;
  /**
   * The whole write as one statement that commits by itself, which costs a fraction of the rest; null, with nothing
   * done, where that will not do. With an Idempotency-Key it is not asked, for the record has to go along.
   */
  readonly commitAlone?: (request: {
    actor: Actor;
    params: Params<Path>;
    body: Static<B>;
  }) => Promise<Reply | null>;
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
  authenticate: Authenticate;
  /** Fires when the service begins to end. */
  draining: AbortSignal;
}): Http {
  const { app, db, changes, draining } = options;
  const idempotency = createIdempotency(options.sealing);

  const schemaOf = (method: string, route: Described & { path: string }, more: object): object => ({
    operationId: route.operationId ?? operationIdOf(method, route.path),
    summary: route.summary,
    description: [route.description, `Needs the role \`${route.role}\`.`].filter(Boolean).join("\n\n"),
    tags: [route.tag],
    params: paramsSchema(route.path),
    security: [{ apiKey: [] }],
    ...more,
  });

  /** Before the body is read or looked at: who may not do this learns nothing of its form. */
  const admit =
    (role: Role) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await options.authenticate(request, reply);
      requireRole(actorOf(request), role);
    };

  return {
    read(route) {
      app.route({
        method: "GET",
        url: route.path,
        schema: schemaOf("GET", route, {
          ...(route.watch === undefined ? {} : { headers: WAIT_HEADERS }),
          querystring: route.query ?? NO_QUERY,
          response: { 200: route.response, ...PROBLEMS },
        }),
        onRequest: admit(route.role),
        handler: async (request, reply) => {
          const actor = actorOf(request);
          const params = request.params as Params<(typeof route)["path"]>;
          const query = request.query as Static<NonNullable<(typeof route)["query"]>>;
          const { events } = route;
          if (events !== undefined && wantsEvents(request)) {
            const id = request.headers["last-event-id"];
            const lastEventId = typeof id === "string" && id !== "" ? id : null;
            return await sendEvents(request, reply, draining, (signal) =>
              events({ actor, params, query, lastEventId, signal }),
            );
          }
          const render = async (): Promise<Rendering> => {
            const body = await route.handle({ actor, params, query });
            const { watch } = route;
            return {
              text: serialize(reply.code(200), body),
              watch: watch === undefined ? null : async () => await watch({ actor, params, query, body }),
            };
          };
          return await sendConditionally({ request, reply, render, changes, draining });
        },
      });
    },
    write(route) {
      const responses = Object.entries(route.responses).map(([status, schema]) => [
        status,
        schema ?? Type.Null({ description: "No body." }),
      ]);
      app.route({
        method: route.method,
        url: route.path,
        schema: schemaOf(route.method, route, {
          querystring: NO_QUERY,
          ...(route.body === undefined ? {} : { body: route.body }),
          headers: IDEMPOTENCY_HEADERS,
          response: { ...Object.fromEntries(responses), ...PROBLEMS },
        }),
        ...(route.findFaults === undefined
          ? {}
          : { validatorCompiler: withFaults(app.validatorCompiler, route.findFaults) }),
        onRequest: admit(route.role),
        handler: async (request, reply) => {
          const actor = actorOf(request);
          if (route.body === undefined) refuseBody(request.body);
          const params = request.params as Params<(typeof route)["path"]>;
          const body = request.body as Static<NonNullable<(typeof route)["body"]>>;
          const once = idempotency.forRequest(request, actor);
          // All that was needed of it is a fingerprint, and it may hold secrets.
          request.rawBody?.fill(0);
          const replayed = await once?.find(db);
          if (replayed) return sendAnswer(reply, replayed, true);
          const alone = once === null ? await route.commitAlone?.({ actor, params, body }) : null;
          if (alone) return sendAnswer(reply, toAnswer(reply, alone), false);
          const prepared = (await route.prepare?.({ actor, params, body })) as Parameters<
            typeof route.commit
          >[0]["prepared"];
          const { answer, isReplay } = await db.transaction(async (tx) => {
            await once?.lock(tx);
            const first = await once?.find(tx);
            if (first) return { answer: first, isReplay: true };
            const result = await route.commit({ tx, actor, params, body, prepared });
            const made = toAnswer(reply, result);
            await once?.save(tx, made);
            return { answer: made, isReplay: false };
          });
          return sendAnswer(reply, answer, isReplay);
        },
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
    throw invalidRequest([{ path: "", code: "WRONG_TYPE", message: "this request takes no body" }]);
  }
  if (names.length === 0) return;
  throw invalidRequest(
    names.map((name) => ({
      path: `/${escapePointer(name)}`,
      code: "UNKNOWN_FIELD",
      message: "is not a field of this request, which takes no body",
    })),
  );
}

const WAIT_HEADERS = {
  type: "object",
  properties: {
    prefer: {
      type: "string",
      description:
        "`wait=N` holds the request for up to N seconds (60 at most) until the resource changes, or differs from If-None-Match.",
      examples: ["wait=30"],
    },
  },
};

const IDEMPOTENCY_HEADERS = {
  type: "object",
  properties: {
    "idempotency-key": {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description:
        "A text of your choice, new for each new request. A repeated request with the same key gets the first answer again (kept for 24 h).",
    },
  },
};

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

function paramsSchema(path: string): TSchema {
  const names = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name ?? "");
  return Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by authentication; null on routes without. */
    actor: Actor | null;
    /** The body as it came, for fingerprints and signatures; zeros once a write has taken its fingerprint. */
    rawBody: Buffer | null;
  }
}
