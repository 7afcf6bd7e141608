import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import type { Changes } from "../db/changes.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { Actor } from "../lib/actor.ts";
import type { Admission } from "./admission.ts";
import type { Authentication } from "./auth.ts";
import { accepts, sendEvents, sendLines, sendParts, wantsEvents, wantsLines } from "./streams.ts";
import type { Needs } from "../lib/access.ts";
import type { Described, Http, Reply } from "./http.ts";
import type { Hold, Holds } from "./limits/holds.ts";
import { operationIdOf, sdkNameOf } from "./openapi/operation-id.ts";
import { type Params, pathParametersOf } from "./openapi/path-parameters.ts";
import { sendAnswer, serialize, toAnswer } from "./answer.ts";
import { refuseBody, withFaults } from "./requests/body-faults.ts";
import { etagOf, type Rendering, sendConditionally } from "./requests/conditional.ts";
import { createCursors, type CursorScope, cursorScopeOf, withCursor } from "./requests/cursors.ts";
import { type Answer, type IdempotencySealing, createIdempotency } from "./requests/idempotency.ts";
import { createJoinedCommits } from "./requests/joined-commits.ts";
import { createPreconditions } from "./requests/precondition.ts";
import { CHANGE_HEADERS, IDEMPOTENCY_HEADERS, WAIT_HEADERS } from "./requests/request-headers.ts";
import { NO_QUERY } from "./schemas.ts";
import type { HostCookie } from "./session-cookie.ts";

export function createHttp(
  app: FastifyInstance,
  admission: Admission,
  deps: {
    readonly db: Database;
    readonly changes: Changes;
    readonly sealing: IdempotencySealing;
    readonly authentication: Authentication;
    readonly holds: Holds;
    readonly sessionCookie: HostCookie;
    /** Aborts when the service begins to stop. */
    readonly draining: AbortSignal;
  },
): Http {
  const { db, changes, sealing, draining, authentication, holds, sessionCookie } = deps;
  const idempotency = createIdempotency(sealing);
  const cursors = createCursors(sealing.fingerprint);
  const preconditions = createPreconditions();
  app.addHook("onReady", (done) => done(preconditions.findGap()));

  const schemaOf = (method: string, route: Described & { path: string }, more: object): object => ({
    operationId: route.operationId ?? operationIdOf(method, route.path),
    sdk: route.sdk ?? sdkNameOf(method, route.path),
    summary: route.summary,
    description: [
      route.description,
      `Requires the role \`${route.role}\`. A key with scopes also needs the scope \`${route.scope}\`.`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    tag: route.tag,
    ...(route.examples === undefined ? {} : { examples: route.examples }),
    params: pathParametersOf(route.path),
    ...more,
  });

  /** Before the body is read: a caller without permission must not learn its form. */
  const admit =
    (needs: Needs) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await authentication.authenticate(request, reply);
      const actor = actorOf(request);
      await db.within(actor.organizationId, () =>
        admission.admit(actor, needs, request.params as Record<string, string>),
      );
    };

  /** Restricts the handler to the caller's organization: the second wall behind its statements. */
  const forOrganization =
    (handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      await db.within(actorOf(request).organizationId, () => handle(request, reply));

  const operations = new Map<string, Needs>();
  const needsFor = (method: string, route: Described & { path: string }): Needs => {
    const needs = admission.needsOf(method, route);
    operations.set(route.operationId ?? operationIdOf(method, route.path), needs);
    return needs;
  };

  return {
    operations: () => operations,
    read(route) {
      type Query = Static<NonNullable<(typeof route)["query"]>>;
      const { hasPlainCursors: isPlain = false } = route;
      const show = (scope: CursorScope) => (place: string) => (isPlain ? place : cursors.make(scope, place));
      const shown = route.response as object as Record<string, unknown>;
      const needs = needsFor("GET", route);
      const { unguarded = [] } = route;
      const unused = Object.fromEntries(unguarded.map((name) => [name, null]));
      const encode = (answer: object, write: (answer: Record<string, unknown>) => string) => {
        const body = Buffer.from(write(answer as Record<string, unknown>));
        return { body, etag: etagOf(body, unguarded.length === 0 ? null : write({ ...answer, ...unused })) };
      };
      preconditions.addRead(route.path, async ({ sql, actor, params, reply }) => {
        const query = defaultsOf(route.query ?? NO_QUERY) as Query;
        const of = { params: params as Params<(typeof route)["path"]>, query };
        const scope = cursorScopeOf(actor, route.path, of);
        const body = withCursor(await route.handle({ sql, actor, ...of }), "nextCursor", (place) =>
          cursors.make(scope, place),
        );
        return encode(body, reply.compileSerializationSchema(shown)).etag;
      });
      app.route({
        method: "GET",
        url: route.path,
        schema: schemaOf("GET", route, {
          ...(route.watch === undefined ? {} : { headers: WAIT_HEADERS }),
          querystring: route.query ?? NO_QUERY,
          response: { 200: route.response },
          ...(route.events === undefined ? {} : { events: route.eventSchema }),
          ...(route.lines === undefined ? {} : { lines: route.lineSchema }),
          ...(route.files === undefined ? {} : { files: Object.values(route.files) }),
        }),
        onRequest: admit(needs),
        handler: forOrganization(async (request, reply) => {
          const actor = actorOf(request);
          const params = request.params as Params<(typeof route)["path"]>;
          const scope = cursorScopeOf(actor, route.path, request);
          const given = request.query as Query;
          const cursor: unknown = Reflect.get(given, "cursor");
          const after = typeof cursor === "string" ? await cursors.open(scope, cursor, "query/cursor") : "";
          const query = withCursor(given, "cursor", () => after);
          const { events } = route;
          const hold = (kind: "wait" | "stream") => (): Hold =>
            holds.begin({
              actor,
              kind,
              admitAgain: async () => {
                const principal = await authentication.authenticateAgain(request);
                await db.within(actor.organizationId, () =>
                  admission.admitAgain(actor, principal, needs, params),
                );
              },
            });
          if (events !== undefined && wantsEvents(request)) {
            const id = request.headers["last-event-id"];
            const lastEventId =
              typeof id === "string" && id !== ""
                ? isPlain
                  ? id
                  : await cursors.open(scope, id, "headers/last-event-id")
                : null;
            return await sendEvents(request, reply, {
              signal: draining,
              hold: hold("stream")(),
              open: async function* (signal) {
                for await (const event of events({ actor, params, query, lastEventId, signal }))
                  yield withCursor(event, "id", show(scope));
              },
            });
          }
          const { lines } = route;
          if (lines !== undefined && wantsLines(request))
            return await sendLines(request, reply, {
              signal: draining,
              hold: hold("stream")(),
              open: (signal) => lines({ actor, params, query, signal }),
            });
          const file = chooseFile(route.files, request);
          if (file !== undefined)
            return await sendParts(request, reply, {
              signal: draining,
              hold: hold("stream")(),
              type: `${file.type}; charset=utf-8`,
              open: (signal) => file.open({ actor, params, query, signal }),
            });
          const render = async (): Promise<Rendering> => {
            const answer = await route.handle({ sql: db, actor, params, query });
            const body = withCursor(answer, "nextCursor", show(scope));
            const { watch } = route;
            return {
              ...encode(body, (one) => serialize(reply.code(200), one)),
              isHeld: route.isHeld?.(answer) ?? null,
              watch: watch === undefined ? null : async () => await watch({ actor, params, query, body }),
            };
          };
          return await sendConditionally({ request, reply, render, changes, draining, hold: hold("wait") });
        }),
      });
    },
    write(route) {
      preconditions.addWrite(route);
      type One = Parameters<NonNullable<typeof route.commitAll>>[1][number];
      const commitAll = async (tx: Transaction, all: readonly One[]): Promise<readonly Reply[]> =>
        route.commitAll === undefined
          ? await Promise.all(all.map((one) => route.commit({ tx, ...one })))
          : await route.commitAll(tx, all);
      const commitJoined = createJoinedCommits((all: readonly One[]) =>
        db.transaction((tx) => commitAll(tx, all)),
      );
      const responses = Object.entries(route.responses).map(([status, schema]) => [
        status,
        schema ?? Type.Null({ description: "There is no body." }),
      ]);
      app.route({
        method: route.method,
        url: route.path,
        schema: schemaOf(route.method, route, {
          querystring: route.query ?? NO_QUERY,
          ...(route.body === undefined ? {} : { body: route.body }),
          ...(route.csv === undefined ? {} : { csvExample: route.csv.example }),
          headers: route.precondition === undefined ? IDEMPOTENCY_HEADERS : CHANGE_HEADERS,
          response: Object.fromEntries(responses),
        }),
        ...(route.findFaults === undefined
          ? {}
          : { validatorCompiler: withFaults(app.validatorCompiler, route.findFaults) }),
        ...(route.csv === undefined ? {} : { config: { readCsv: route.csv.read } }),
        onRequest: admit(needsFor(route.method, route)),
        handler: forOrganization(async (request, reply) => {
          const actor = actorOf(request);
          if (route.body === undefined) refuseBody(request.body);
          const params = request.params as Params<(typeof route)["path"]>;
          const query = request.query as Static<NonNullable<(typeof route)["query"]>>;
          const body = request.body as Static<NonNullable<(typeof route)["body"]>>;
          const once = idempotency.forRequest(request, actor);
          const ifMatches = preconditions.forRequest(request, actor, route);
          // Only its fingerprint is still needed, and it may contain secrets.
          request.rawBody?.fill(0);
          const send = (answer: Answer, isReplay: boolean): FastifyReply =>
            sendAnswer(request, reply, answer, { isReplay, sessionCookie });
          const replayed = await once?.find(db);
          if (replayed) return send(replayed, true);
          const prepared = (await route.prepare?.({ actor, params, query, body })) as One["prepared"];
          const accepted = { actor, params, query, body, prepared };
          if (once === null && ifMatches === null) {
            const changes = route.changes?.(accepted) ?? null;
            if (changes !== null) {
              const result = await commitJoined(actor.organizationId, changes, accepted);
              return send(toAnswer(reply, result), false);
            }
          }
          const { answer, isReplay } = await db.transaction(async (tx) => {
            await once?.lock(tx);
            const first = await once?.find(tx);
            if (first) return { answer: first, isReplay: true };
            await ifMatches?.(tx, reply);
            const [result] = await commitAll(tx, [accepted]);
            if (result === undefined) throw new Error("A request was carried out without an answer.");
            const made = toAnswer(reply, result);
            await once?.save(tx, made);
            return { answer: made, isReplay: false };
          });
          return send(answer, isReplay);
        }),
      });
    },
  };
}

/** The form that a request asks for by name, or else by media type; undefined for the usual one. */
function chooseFile<File extends { readonly type: string }>(
  files: Readonly<Record<string, File>> | undefined,
  request: FastifyRequest,
): File | undefined {
  if (files === undefined) return undefined;
  const format: unknown = Reflect.get(request.query as object, "format");
  return typeof format === "string"
    ? files[format]
    : Object.values(files).find(({ type }) => accepts(request, type));
}

/** The query of a request without one, as validation completes it. */
function defaultsOf(schema: TSchema): object {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { default?: unknown }>> };
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error("The route was reached without authentication.");
  return request.actor;
}
