import { Type } from "typebox";
import type { Platform } from "../../../cloud/platform.ts";
import type { Changes } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import type { Http } from "../../../http/http.ts";
import { Body } from "../../../http/schemas.ts";
import { PROJECTS_TAG as tag } from "../../projects/routes.ts";
import { CURSOR_CHARACTERS_MAX } from "./read-logs.ts";
import { followServiceLog, readServiceLog } from "./service-logs.ts";
import { ServiceLogEventSchema, ServiceLogsSchema, viewServiceLogs } from "./views.ts";

export function registerServiceLogRoute(
  http: Http,
  deps: { readonly db: Database; readonly changes: Changes; readonly platform: Platform | null },
): void {
  http.read({
    path: "/v1/services/:serviceId/logs",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getServiceLogs",
    sdk: "services.getLogs",
    summary: "Read what a service prints",
    description:
      "The output of its live release, read from the cloud, which keeps the end of a long one; values of managed variables are hidden where the platform can. With `Accept: text/event-stream` it is streamed live: an event `release` first and when another release went live, and events `line`, until the client leaves, or `refused` when the key may no longer read it. An event's id is a cursor.",
    query: Body({
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: CURSOR_CHARACTERS_MAX,
          description: "The `nextCursor` of the page before.",
        }),
      ),
    }),
    response: ServiceLogsSchema,
    eventSchema: ServiceLogEventSchema,
    handle: async ({ actor, params, query }) =>
      viewServiceLogs(
        await readServiceLog(deps, actor.organizationId, params.serviceId, query.cursor ?? null),
      ),
    async *events({ actor, params, query, lastEventId, signal }) {
      const from = lastEventId ?? query.cursor ?? null;
      let told: string | null = null;
      for await (const log of followServiceLog(deps, actor.organizationId, params.serviceId, from, signal)) {
        const { deploymentId, lines, nextCursor } = viewServiceLogs(log);
        if (deploymentId !== null && deploymentId !== told)
          yield { event: "release", id: null, data: { deploymentId } };
        told = deploymentId;
        for (const [index, line] of lines.entries()) {
          // A client that reconnects in the middle of a batch gets the whole batch again.
          yield { event: "line", id: index === lines.length - 1 ? nextCursor : null, data: line };
        }
      }
    },
  });
}
