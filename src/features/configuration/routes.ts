import type { FastifyInstance } from "fastify";
import { CONFIGURATION_SCHEMA } from "./configuration-schema.ts";

/** Serves the schema to editors and checkers, which send no API key. `publicUrl` has no trailing slash. */
export function registerSchemaRoute(app: FastifyInstance, publicUrl: string): void {
  const { $schema, ...rest } = CONFIGURATION_SCHEMA;
  const text = JSON.stringify({ $schema, $id: `${publicUrl}/schema.json`, ...rest });
  app.get("/schema.json", { schema: { hide: true } }, async (_request, reply) => {
    // Editors in a browser fetch it from another origin.
    reply.header("access-control-allow-origin", "*").header("cache-control", "public, max-age=3600");
    return await reply.type("application/schema+json; charset=utf-8").send(text);
  });
}
