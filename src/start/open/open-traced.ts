/** Tracing, and what it is put around. Part of the composition root: loaded only in an installation with a collector. */
import { hostname } from "node:os";
import type { CallPolicy } from "../../cloud/calls/policy.ts";
import type { Database } from "../../db/database.ts";
import type { Config } from "../config/config.ts";

export async function openTraced(config: NonNullable<Config["tracing"]>) {
  const [{ openTracing }, { traceDatabase }, { traceRequests }] = await Promise.all([
    import("../tracing/open-tracing.ts"),
    import("../tracing/trace-database.ts"),
    import("../tracing/trace-requests.ts"),
  ]);
  const tracing = openTracing(config, `${hostname()}-${process.pid}`);
  return {
    tracing,
    database: (db: Database) => traceDatabase(db, tracing),
    // A span for each request to a cloud, by the provider's name of the operation, with its attempts.
    calls: (policy: CallPolicy): CallPolicy => ({
      ...policy,
      request: (request) => tracing.within(request.operation, "client", () => policy.request(request)),
    }),
    requests: (isTrusted: (address: string | undefined) => boolean) => traceRequests(tracing, isTrusted),
    close: () => tracing.close(),
  };
}
