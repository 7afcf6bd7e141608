import { Type } from "typebox";
import type { Platform } from "../../cloud/platform.ts";
import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import { PROJECTS_TAG } from "../projects/routes.ts";
import {
  LogEventSchema,
  LogsSchema,
  ServiceLogEventSchema,
  ServiceLogsSchema,
  viewLogs,
  viewServiceLogs,
} from "./log-views.ts";
import { CURSOR_CHARACTERS_MAX, followLogs, followServiceLog, readLogs, readServiceLog } from "./logs.ts";
import { DEPLOYMENTS_TAG } from "./routes.ts";

export const CURSOR = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: CURSOR_CHARACTERS_MAX,
    description: "The `nextCursor` of the previous page.",
  }),
);

/** A client that reconnects in the middle of a batch gets the whole batch again. */
export function* lineEvents<Line>({ lines, nextCursor }: { lines: readonly Line[]; nextCursor: string }) {
  for (const [index, line] of lines.entries())
    yield { event: "line", id: index === lines.length - 1 ? nextCursor : null, data: line };
}

export function registerLogRoutes(
  http: Http,
  deps: { readonly db: Database; readonly changes: Changes; readonly platform: Platform | null },
): void {
  http.read({
    path: "/v1/deployments/:deploymentId/logs",
    role: "viewer",
    scope: "read",
    tag: DEPLOYMENTS_TAG,
    summary: "Read the logs of a deployment",
    description:
      "Returns the output of its builds and releases, read from the cloud. With `Accept: text/event-stream` it is streamed live: events `status` and `line`, then `end` when the deployment has ended, or `refused` when the key may no longer read it. An event's id is a cursor.",
    query: Body({
      serviceId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Only lines about this service.",
          examples: [EXAMPLE_IDS.svc],
        }),
      ),
      cursor: CURSOR,
    }),
    response: LogsSchema,
    eventSchema: LogEventSchema,
    handle: async ({ actor, params, query }) =>
      viewLogs(await readLogs(deps, actor.organizationId, params.deploymentId, query)),
    async *events({ actor, params, query, lastEventId, signal }) {
      const from = lastEventId === null ? query : { ...query, cursor: lastEventId };
      for await (const event of followLogs(deps, actor.organizationId, params.deploymentId, from, signal)) {
        if (event.kind === "lines") yield* lineEvents(viewLogs(event.log));
        else yield { event: event.kind, id: null, data: { status: event.status } };
      }
    },
  });

  http.read({
    path: "/v1/services/:serviceId/logs",
    role: "viewer",
    scope: "read",
    tag: PROJECTS_TAG,
    summary: "Read the logs of a service",
    description:
      "Returns the output of its live release, read from the cloud. The cloud keeps only the end of a long output. Values of managed variables are hidden if the platform supports it. With `Accept: text/event-stream` the output is streamed live: an event `release` first and whenever another release goes live, and an event `line` for each line. The stream ends when the client closes it, or with `refused` when the key may no longer read it. An event's id is a cursor.",
    query: Body({ cursor: CURSOR }),
    response: ServiceLogsSchema,
    eventSchema: ServiceLogEventSchema,
    handle: async ({ actor, params, query }) =>
      viewServiceLogs(
        await readServiceLog(deps, actor.organizationId, params.serviceId, query.cursor ?? null),
      ),
    async *events({ actor, params, query, lastEventId, signal }) {
      const from = lastEventId ?? query.cursor ?? null;
      let sentDeploymentId: string | null = null;
      for await (const log of followServiceLog(deps, actor.organizationId, params.serviceId, from, signal)) {
        const { deploymentId } = log;
        if (deploymentId !== null && deploymentId !== sentDeploymentId)
          yield { event: "release", id: null, data: { deploymentId } };
        sentDeploymentId = deploymentId;
        yield* lineEvents(viewServiceLogs(log));
      }
    },
  });
}
