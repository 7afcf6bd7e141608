import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { COMMAND_CHARACTERS_MAX } from "../executions/execution.ts";
import { EXECUTIONS_TAG as tag } from "../executions/routes.ts";
import { runJob } from "./commands.ts";
import { listJobs } from "./queries.ts";
import { JobsSchema, StartedJobSchema, viewJobs } from "./views.ts";

export function registerScheduledJobRoutes(
  http: Http,
  { jobs, clock }: { readonly jobs: Jobs; readonly clock: Clock },
): void {
  http.read({
    path: "/v1/services/:serviceId/jobs",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "listJobs",
    sdk: "jobs.list",
    summary: "List the jobs of a scheduler",
    response: JobsSchema,
    watch: ({ params }) => [params.serviceId],
    handle: async ({ sql, actor, params }) =>
      viewJobs(await listJobs(sql, actor.organizationId, params.serviceId, clock.now())),
  });

  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/job/:jobGivenId/execution",
    role: "developer",
    scope: "deploy",
    tag,
    operationId: "runJob",
    sdk: "jobs.run",
    summary: "Run a job now",
    description:
      "Starts a job of a scheduler once, in the live release. It starts even if the job runs already. Everyone who sees the project can read the command: never put a secret in it. An environment that requires approvals refuses a `startCommand`.",
    body: Body({
      startCommand: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: COMMAND_CHARACTERS_MAX,
          pattern: "\\S",
          description: "The command; by default, the job's own.",
          examples: ["node nightly.js --dry-run"],
        }),
      ),
    }),
    responses: { 201: StartedJobSchema },
    commit: async ({ tx, actor, params, body }) => {
      const { serviceId, jobGivenId } = params;
      const { id } = await runJob(tx, jobs, actor, serviceId, jobGivenId, body.startCommand);
      return { status: 201, location: `/v1/executions/${id}`, body: { jobExecutionId: id } };
    },
  });
}
