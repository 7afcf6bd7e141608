import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { type Database, statement } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { PROBLEMS } from "./openapi.ts";

/** A database that takes longer than this to say its name cannot serve. */
const READY_TIMEOUT_MS = 1_500;

/** `/healthz`, `/readyz`, `/metrics` and `/openapi.json`, which need no key. */
export function registerSystemRoutes(
  app: FastifyInstance,
  { db, metrics, draining }: { db: Database; metrics: Metrics; draining: AbortSignal },
): void {
  const tags = ["System"];
  const security: [] = [];

  app.get(
    "/healthz",
    {
      schema: {
        operationId: "getHealth",
        summary: "Tell whether the process is alive",
        description: "Asks nothing of the database. Needs no key.",
        tags,
        security,
        response: { 200: Type.Object({ status: Type.Literal("ok") }), "5xx": PROBLEMS["5xx"] },
      },
    },
    async (): Promise<{ status: "ok" }> => ({ status: "ok" }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "getReadiness",
        summary: "Tell whether requests can be served",
        description:
          "503 while the database does not answer or the process is ending. Answers within 2 s. Needs no key.",
        tags,
        security,
        response: {
          200: Type.Object({
            status: Type.Literal("ready"),
            database: Type.String({ description: "`postgres` or `pglite`." }),
            migration: Type.String({ description: "The last migration that ran." }),
          }),
          "5xx": PROBLEMS["5xx"],
        },
      },
    },
    async () => {
      if (draining.aborted) throw notReady("The process is ending.");
      const [row] = await withinTime(db.query(LAST_MIGRATION));
      if (row === undefined) throw notReady("The database is not migrated.");
      return { status: "ready" as const, database: db.kind, migration: row.name };
    },
  );

  app.get(
    "/metrics",
    {
      schema: {
        operationId: "getMetrics",
        summary: "Get figures for Prometheus",
        description: "In Prometheus' text format. Needs no key; keep it from the public at your proxy.",
        tags,
        security,
        produces: ["text/plain"],
        response: { 200: Type.String(), "5xx": PROBLEMS["5xx"] },
      },
    },
    async (_request, reply) =>
      await reply
        .type(metrics.registry.contentType)
        .serializer(String)
        .send(await metrics.registry.metrics()),
  );

  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}

function notReady(message: string): AppError {
  return new AppError("DATABASE_UNAVAILABLE", message, { retryAfterSeconds: 2 });
}

async function withinTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notReady("The database does not answer.")), READY_TIMEOUT_MS);
  });
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const LAST_MIGRATION = statement<{ name: string }>(
  "migrations_last",
  "SELECT name FROM schema_migrations ORDER BY name DESC LIMIT 1",
);
