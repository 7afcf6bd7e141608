/** Tracing, and what it is put around. Part of the composition root: loaded only in an installation with a collector. */
import { hostname } from "node:os";
import type { CallPolicy } from "../../cloud/calls/policy.ts";
import type { Database } from "../../db/database.ts";
import type { Tracing } from "../../lib/tracing.ts";
import type { Config } from "../config/config.ts";
import type { TracedRequests } from "../tracing/trace-requests.ts";

export type Traced = {
  readonly tracing: Tracing;
  readonly database: (db: Database) => Database;
  readonly calls: (policy: CallPolicy) => CallPolicy;
  readonly requests: (isTrusted: (address: string | undefined) => boolean) => TracedRequests;
  close(): Promise<void>;
};

export async function openTraced(config: NonNullable<Config["tracing"]>): Promise<Traced> {
  const [{ openTracing }, { traceDatabase }, { traceRequests }] = await Promise.all([
    import("../tracing/open-tracing.ts"),
    import("../tracing/trace-database.ts"),
    import("../tracing/trace-requests.ts"),
  ]);
  const tracing = openTracing({ ...config, instanceId: `${hostname()}-${process.pid}` });
  return {
    tracing,
    database: (db) => traceDatabase(db, tracing),
    // A span for each request to a cloud, by the provider's name of the operation, with its attempts.
    calls: (policy) => ({
      ...policy,
      request: (request) => tracing.within(request.operation, "client", () => policy.request(request)),
    }),
    requests: (isTrusted) => traceRequests(tracing, isTrusted),
    close: () => tracing.close(),
  };
}
