/** `/edge/…`, for edges on other machines: what they serve, the answers to challenges, and their reports. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { ChallengeAnswers } from "../../../edge/src/answer-challenges.ts";
import { PLACES } from "../../../edge/src/remote/control.ts";
import { deriveEdgeKeys } from "../../../edge/src/remote/keys.ts";
import { type EdgeReport, MAX_COUNTS } from "../../../edge/src/remote/report.ts";
import type { EdgeTraffic } from "../../../edge/src/traffic.ts";
import type { SiteParts } from "../cdn/site-parts.ts";
import { closed } from "../protocol.ts";
import { readJsonBodies } from "./admin-routes.ts";
import { requireSecret } from "./callers.ts";

const Key = Type.String({ pattern: "^[\\w-]{1,100}$" });
const Count = Type.Integer({ minimum: 0 });
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
/** The last instant that a date of JavaScript can have. */
const LAST_INSTANT = 8.64e15;
const Report = closed({
  id: Type.String({ minLength: 1, maxLength: 253 }),
  addresses: Type.Array(Type.String({ maxLength: 45 }), { maxItems: 100 }),
  ports: closed({ http: Type.Union([Type.Null(), Port]), https: Port }),
  version: Type.String({ maxLength: 64 }),
  startedAt: Type.Integer({ minimum: 0, maximum: LAST_INSTANT }),
  names: Count,
  snapshot: Type.Union([Type.Null(), closed({ etag: Type.String({ maxLength: 100 }), at: Count })]),
  sequence: Count,
  traffic: Type.Array(
    closed({
      siteId: Type.String({ maxLength: 100 }),
      minute: Count,
      requests: Count,
      clientErrors: Count,
      serverErrors: Count,
    }),
    { maxItems: MAX_COUNTS },
  ),
});

/** What an edge last said, and when: `reportedAt` is milliseconds since 1970. */
export type ReportedEdge = Omit<EdgeReport, "traffic"> & {
  readonly reportedAt: number;
  /** Whether it serves what this machine would give it now. */
  readonly isCurrent: boolean;
};

export type Edges = {
  /** By id. Edges that are not heard of for a day are left out. */
  list(): readonly ReportedEdge[];
};

const MAX_WAIT_SECONDS = 30;
const LOOK_MS = 200;
const KEPT_MS = 86_400_000;
const MAX_EDGES = 1_000;
/** Of a file, in one answer. */
const BLOCK_BYTES = 4 * 1024 ** 2;

export function registerEdgeRoutes(
  fastify: FastifyInstance,
  parts: {
    readonly secret: string;
    readonly parts: SiteParts;
    readonly challenges: ChallengeAnswers | null;
    readonly traffic: EdgeTraffic;
    readonly now: () => number;
  },
): Edges {
  const { traffic, challenges, now, parts: sites } = parts;
  const keys = deriveEdgeKeys(parts.secret);
  const edges = new Map<string, Omit<ReportedEdge, "isCurrent">>();
  void fastify.register(async (scope) => {
    requireSecret(scope, keys.token);
    const app = scope.withTypeProvider<TypeBoxTypeProvider>();
    readJsonBodies(scope);

    app.get(
      "/edge/snapshot",
      { schema: { querystring: closed({ wait: Type.Optional(Type.String({ pattern: "^\\d{1,2}$" })) }) } },
      async (request, reply) => {
        const until = now() + Math.min(Number(request.query.wait ?? 0), MAX_WAIT_SECONDS) * 1_000;
        let found = await sites.current();
        while (found.etag === request.headers["if-none-match"] && now() < until && !reply.raw.destroyed) {
          await sleep(LOOK_MS);
          found = await sites.current();
        }
        reply.header("etag", found.etag).header("cache-control", "no-store");
        if (found.etag === request.headers["if-none-match"]) return reply.status(304).send();
        const bytes = Buffer.from(JSON.stringify(found.snapshot));
        return reply.type("application/octet-stream").send(keys.seal(PLACES.snapshot, bytes));
      },
    );

    app.get(
      "/edge/part",
      { schema: { querystring: closed({ number: Type.String({ pattern: "^\\d{1,4}$" }) }) } },
      async (request, reply) => {
        const number = Number(request.query.number);
        const part = await sites.part(number);
        if (part === null) return reply.status(404).send();
        const bytes = Buffer.from(JSON.stringify(part));
        return reply
          .header("cache-control", "no-store")
          .type("application/octet-stream")
          .send(keys.seal(PLACES.part(number), bytes));
      },
    );

    app.get("/edge/files", { schema: { querystring: closed({ key: Key }) } }, async (request, reply) => {
      const { key } = request.query;
      const list = await (await sites.files(key))?.list();
      if (list === null || list === undefined) return reply.status(404).send();
      return reply
        .type("application/octet-stream")
        .send(keys.seal(PLACES.files(key), Buffer.from(JSON.stringify(list))));
    });

    app.get(
      "/edge/file",
      {
        schema: {
          querystring: closed({
            key: Key,
            path: Type.String({ maxLength: 4_096 }),
            from: Type.String({ pattern: "^\\d{1,15}$" }),
          }),
        },
      },
      async (request, reply) => {
        const { key, path, from } = request.query;
        const file = (await (await sites.files(key))?.read(path)) ?? null;
        const start = Number(from);
        if (file === null || file === "tree" || start >= file.sizeBytes) return reply.status(404).send();
        const opened = file.open({ start, end: Math.min(start + BLOCK_BYTES, file.sizeBytes) - 1 });
        const bytes = opened instanceof Readable ? await buffer(opened) : opened;
        return reply.type("application/octet-stream").send(keys.seal(PLACES.file(key, path, start), bytes));
      },
    );

    app.get(
      "/edge/challenge",
      {
        schema: {
          querystring: closed({
            kind: Type.Union([Type.Literal("http"), Type.Literal("alpn")]),
            host: Type.String({ maxLength: 253 }),
            token: Type.Optional(Type.String({ maxLength: 128 })),
          }),
        },
      },
      async (request, reply) => {
        const { kind, host, token } = request.query;
        const pair = kind === "alpn" ? await challenges?.alpnPair(host) : null;
        const text =
          kind === "http" ? await challenges?.httpAnswer(host, token ?? "") : pair && JSON.stringify(pair);
        if (text === null || text === undefined) return reply.status(404).send();
        return reply
          .header("cache-control", "no-store")
          .type("application/octet-stream")
          .send(keys.seal(PLACES.challenge, Buffer.from(text)));
      },
    );

    app.post("/edge/report", { schema: { body: Report } }, async (request, reply) => {
      const { traffic: served, ...report }: EdgeReport = request.body;
      const before = edges.get(report.id);
      const isRepeated = before?.startedAt === report.startedAt && report.sequence <= before.sequence;
      if (!isRepeated)
        for (const { siteId, minute, ...counts } of served) traffic.add(siteId, minute, counts);
      if (before !== undefined || edges.size < MAX_EDGES)
        edges.set(report.id, { ...report, reportedAt: now() });
      return reply.status(204).send();
    });
  });

  return {
    list: () => {
      for (const [id, { reportedAt }] of edges) if (reportedAt < now() - KEPT_MS) edges.delete(id);
      const etag = sites.known()?.etag;
      return [...edges.values()]
        .map((edge) => ({ ...edge, isCurrent: etag !== undefined && edge.snapshot?.etag === etag }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}
