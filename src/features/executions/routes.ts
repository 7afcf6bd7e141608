import { Type } from "typebox";
import type { Platform } from "../../cloud/platform.ts";
import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { At, Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { CURSOR, lineEvents } from "../deployments/log-routes.ts";
import { getService } from "../projects/queries.ts";
import { cancelExecution, runCommand } from "./commands.ts";
import {
  COMMAND_CHARACTERS_MAX,
  type Execution,
  TIME_LIMIT_DEFAULT_MINUTES,
  TIME_LIMIT_MAX_MINUTES,
} from "./execution.ts";
import { followExecutionLog, readExecutionLog } from "./logs.ts";
import { getExecution, listExecutions } from "./queries.ts";
import {
  ExecutionLogEventSchema,
  ExecutionLogsSchema,
  ExecutionSchema,
  ExecutionStatusSchema,
  ExecutionTriggerSchema,
  NEW_EXECUTION_EXAMPLE,
  SUCCEEDED_EXAMPLE,
  viewExecution,
  viewExecutionLogs,
} from "./views.ts";

export const EXECUTIONS_TAG: Tag = {
  name: "Executions",
  description: "Commands that run once in the live release of a service: one-off, or as a job.",
};
const READ = { role: "viewer", scope: "read", tag: EXECUTIONS_TAG } as const;
const WRITE = { role: "developer", scope: "deploy", tag: EXECUTIONS_TAG } as const;

function answer<Status extends 201 | 202>(status: Status, execution: Execution) {
  return { status, location: `/v1/executions/${execution.id}`, body: viewExecution(execution) };
}

export function registerExecutionRoutes(
  http: Http,
  deps: {
    readonly db: Database;
    readonly changes: Changes;
    readonly jobs: Jobs;
    readonly platform: Platform | null;
  },
): void {
  const { jobs } = deps;

  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/runs",
    ...WRITE,
    operationId: "runCommand",
    sdk: "executions.start",
    summary: "Run a command",
    description:
      "Runs a command once in its own copy of the service's live release, with the release's variables, while the service continues to run. Read the execution with `Prefer: wait`, and its output at `/logs`. Everyone who sees the project can read the command: never put a secret in it. An environment that requires approvals refuses it.",
    body: Body({
      command: Type.String({
        minLength: 1,
        maxLength: COMMAND_CHARACTERS_MAX,
        pattern: "\\S",
        description: "The command, for the shell of the release.",
        examples: ["npm run migrate"],
      }),
      timeoutMinutes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: TIME_LIMIT_MAX_MINUTES,
          default: TIME_LIMIT_DEFAULT_MINUTES,
          description: "After this many minutes, the command is stopped.",
        }),
      ),
      cpu: Type.Optional(
        Type.Number({
          minimum: 0.25,
          maximum: 16,
          description: "Virtual CPUs; by default, those of an instance of the service.",
          examples: [0.5],
        }),
      ),
      memoryGb: Type.Optional(
        Type.Number({
          minimum: 0.5,
          maximum: 120,
          description: "Memory in GiB; by default, that of an instance of the service.",
          examples: [1],
        }),
      ),
    }),
    responses: { 201: ExecutionSchema },
    examples: { 201: NEW_EXECUTION_EXAMPLE },
    commit: async ({ tx, actor, params, body }) =>
      answer(201, await runCommand(tx, jobs, actor, params.serviceId, body)),
  });

  http.read({
    path: "/v1/services/:serviceId/executions",
    ...READ,
    operationId: "listExecutions",
    sdk: "executions.list",
    summary: "List the executions of a service",
    query: Body({
      ...PAGE_QUERY,
      jobId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 60,
          description: "Only executions of this job.",
          examples: ["nightly"],
        }),
      ),
      status: Type.Optional(At(ExecutionStatusSchema, "Only executions with this status.", "FAILED")),
      trigger: Type.Optional(At(ExecutionTriggerSchema, "Only executions that this started.", "schedule")),
    }),
    response: ListOf("executions", ExecutionSchema),
    watch: ({ params }) => [params.serviceId],
    handle: async ({ sql, actor, params, query }) => {
      const { organizationId } = actor;
      await getService(sql, organizationId, params.serviceId);
      const page = readPage(query);
      const rows = await listExecutions(sql, organizationId, params.serviceId, page, query);
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      return { executions: items.map(viewExecution), nextCursor };
    },
  });

  http.read({
    path: "/v1/executions/:executionId",
    ...READ,
    summary: "Get an execution",
    response: ExecutionSchema,
    examples: SUCCEEDED_EXAMPLE,
    watch: ({ params }) => [params.executionId],
    handle: async ({ sql, actor, params }) =>
      viewExecution(await getExecution(sql, actor.organizationId, params.executionId)),
  });

  http.read({
    path: "/v1/executions/:executionId/logs",
    ...READ,
    summary: "Read the output of an execution",
    description:
      "Returns the output of the command, read from the cloud. The cloud keeps only the end of a long output. Values of managed variables are hidden if the platform supports it. With `Accept: text/event-stream` it is streamed live: events `status` and `line`, then `end` when the execution has ended, or `refused` when the key may no longer read it. An event's id is a cursor.",
    query: Body({ cursor: CURSOR }),
    response: ExecutionLogsSchema,
    eventSchema: ExecutionLogEventSchema,
    handle: async ({ actor, params, query }) =>
      viewExecutionLogs(
        await readExecutionLog(deps, actor.organizationId, params.executionId, query.cursor ?? null),
      ),
    async *events({ actor, params, query, lastEventId, signal }) {
      const from = lastEventId ?? query.cursor ?? null;
      const { executionId } = params;
      for await (const event of followExecutionLog(deps, actor.organizationId, executionId, from, signal)) {
        if (event.kind === "lines") yield* lineEvents(viewExecutionLogs(event.log));
        else yield { event: event.kind, id: null, data: { status: event.status } };
      }
    },
  });

  http.write({
    method: "POST",
    path: "/v1/executions/:executionId/cancel",
    ...WRITE,
    summary: "Cancel an execution",
    description:
      "Stops the command with everything that it started. Read the execution to see when it has ended.",
    responses: { 202: ExecutionSchema },
    examples: {
      202: { status: "RUNNING", isCancelRequested: true, exitCode: null, error: null, endedAt: null },
    },
    commit: async ({ tx, actor, params }) =>
      answer(202, await cancelExecution(tx, jobs, actor, params.executionId)),
  });
}
