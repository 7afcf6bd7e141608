import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { type Database, readAsOwner } from "../db/database.ts";
import { AppError } from "../lib/errors.ts";
import { withinTime } from "../lib/pace/within-time.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { shareWork } from "./limits/shared-work.ts";
import type { Tag } from "./openapi/openapi.ts";

/** A database that does not answer a small query in this time is not ready. */
const READY_TIMEOUT_MS = 1_500;

/** What `/metrics` answers. */
export type MetricsPage = { readonly contentType: string; readonly render: () => Promise<string> };

/** `/healthz`, `/readyz`, `/metrics` and `/openapi.json`, which need no key. */
export function registerSystemRoutes(
  app: FastifyInstance,
  { db, metrics, draining }: { db: Database; metrics: MetricsPage; draining: AbortSignal },
): void {
  const tag: Tag = { name: "System", description: "Endpoints for operators and their monitoring." };
  const needsKey = false;
  // Clients without a key may send many requests at once, so all requests share one query.
  const askDatabase = shareWork(() =>
    withinTime(READY_TIMEOUT_MS, db.query(LAST_MIGRATION), () => notReady("The database does not answer.")),
  );
  const collectMetrics = shareWork(async () => Buffer.from(await metrics.render()));

  app.get(
    "/healthz",
    {
      schema: {
        operationId: "getHealth",
        sdk: "system.getHealth",
        summary: "Check that the process is alive",
        description: "Does not use the database. Requires no API key.",
        tag,
        needsKey,
        response: {
          200: Type.Object(
            { status: Type.Literal("ok", { description: "The process is alive." }) },
            { title: "Health", description: "The process is alive." },
          ),
        },
      },
    },
    async (): Promise<{ status: "ok" }> => ({ status: "ok" }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "getReadiness",
        sdk: "system.getReadiness",
        summary: "Check that requests can be served",
        description:
          "Returns 503 while the database does not answer or the process is stopping. Responds within 2 s. Requires no API key.",
        tag,
        needsKey,
        response: {
          200: Type.Object(
            {
              status: Type.Literal("ready", { description: "Requests are served." }),
              database: Type.String({ description: "`postgres` or `pglite`.", examples: ["postgres"] }),
              migration: Type.String({
                description: "The last migration that ran.",
                examples: ["0001_foundation"],
              }),
            },
            { title: "Readiness", description: "Requests can be served." },
          ),
        },
      },
    },
    async () => {
      if (draining.aborted) throw notReady("The process is stopping.");
      const [row] = await askDatabase();
      if (row === undefined) throw notReady("The database is not migrated.");
      return { status: "ready" as const, database: db.kind, migration: row.name };
    },
  );

  app.get(
    "/metrics",
    {
      schema: {
        operationId: "getMetrics",
        sdk: null,
        summary: "Get metrics for Prometheus",
        description:
          "Returns metrics in Prometheus' text format. Requires no API key; block public access to it at your proxy.",
        tag,
        needsKey,
        response: {
          200: Type.String({
            contentMediaType: "text/plain",
            description: "The metrics.",
            examples: ["# HELP slipway_http_requests_total Requests.\n"],
          }),
        },
      },
    },
    async (_request, reply) => await reply.type(metrics.contentType).send(await collectMetrics()),
  );

  let reference: Promise<Buffer> | null = null;
  app.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
    // One copy for all clients, including slow readers.
    reference ??= app.describeApi().then((document) => Buffer.from(JSON.stringify(document)));
    return await reply.type("application/json; charset=utf-8").send(await reference);
  });
}

function notReady(message: string): AppError {
  return new AppError(HTTP_ERRORS.DATABASE_UNAVAILABLE, message, { retryAfterSeconds: 2 });
}

const LAST_MIGRATION = readAsOwner<{ name: string }>(
  "migrations_last",
  "SELECT name FROM schema_migrations ORDER BY name DESC LIMIT 1",
);
