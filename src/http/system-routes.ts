import type { FastifyInstance } from "fastify";
import { type Database, statement } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";

/** `/healthz`, `/readyz`, `/metrics` and `/openapi.json`, which need no key. */
export function registerSystemRoutes(
  app: FastifyInstance,
  { db, metrics }: { db: Database; metrics: Metrics },
): void {
  const schema = { hide: true };
  app.get("/healthz", { schema }, async () => ({ status: "ok" }));

  app.get("/readyz", { schema }, async () => {
    const [row] = await db.query(LAST_MIGRATION);
    if (row === undefined)
      throw new AppError("DATABASE_UNAVAILABLE", "The database is not migrated.", { retryAfterSeconds: 2 });
    return { status: "ready", database: db.kind, migration: row.name };
  });

  app.get("/metrics", { schema }, async (_request, reply) => {
    return await reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });

  app.get("/openapi.json", { schema }, async () => app.swagger());
}

const LAST_MIGRATION = statement<{ name: string }>(
  "migrations_last",
  "SELECT name FROM schema_migrations ORDER BY name DESC LIMIT 1",
);
