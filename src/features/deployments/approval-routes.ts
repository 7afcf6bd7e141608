import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body, EXAMPLE_IDS, LINES_TEXT } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { COMMON_FAULTS } from "../../lib/errors.ts";
import { approveDeployment, rejectDeployment } from "./approval-commands.ts";
import { DEPLOYMENTS_TAG as tag } from "./routes.ts";
import { DeploymentDetailsSchema, viewDeploymentDetails } from "./views.ts";

const DECISION = {
  environmentId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Decides in this environment alone; otherwise wherever the deployment waits for an approval.",
      examples: [EXAMPLE_IDS.env],
    }),
  ),
  comment: Type.Optional(
    Type.String({
      ...LINES_TEXT,
      maxLength: 500,
      description: "Shown with the deployment, in events and in the audit trail.",
      examples: ["Read and tried."],
    }),
  ),
};

export function registerApprovalRoutes(http: Http, { jobs }: { readonly jobs: Jobs }): void {
  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/approve",
    role: "developer",
    scope: "deploy",
    tag,
    summary: "Approve a deployment",
    description:
      "Lets it begin where an environment asks for an approval. It takes a person who may deploy there, has the role that the environment asks for, and did not start the deployment.",
    body: Body({
      ...DECISION,
      isBypass: Type.Optional(
        Type.Boolean({
          description:
            "In an emergency: does without a second person. It takes an admin of the project and a `comment`, and is told apart in events and in the audit trail.",
          examples: [false],
        }),
      ),
    }),
    findFaults: (body) => {
      const { isBypass, comment } = (body ?? {}) as {
        readonly isBypass?: unknown;
        readonly comment?: unknown;
      };
      if (isBypass !== true || comment !== undefined) return [];
      const { code } = COMMON_FAULTS.REQUIRED;
      return [{ path: "/comment", code, message: "is required to bypass an approval: say why" }];
    },
    responses: { 200: DeploymentDetailsSchema },
    examples: { 200: { status: "PENDING", startedAt: null, endedAt: null } },
    commit: async ({ tx, actor, params, body }) => {
      const { environmentId = null, comment = null, isBypass = false } = body;
      const decision = { environmentId, comment, isBypass };
      const details = await approveDeployment(tx, jobs, actor, params.deploymentId, decision);
      return { status: 200, body: viewDeploymentDetails(details) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/reject",
    role: "developer",
    scope: "deploy",
    tag,
    summary: "Reject a deployment",
    description:
      "Cancels it where it waits for an approval. It takes who may approve it; who started it cancels it instead.",
    body: Body(DECISION),
    responses: { 200: DeploymentDetailsSchema },
    examples: { 200: { status: "CANCELLED" } },
    commit: async ({ tx, actor, params, body }) => {
      const { environmentId = null, comment = null } = body;
      const decision = { environmentId, comment };
      const details = await rejectDeployment(tx, jobs, actor, params.deploymentId, decision);
      return { status: 200, body: viewDeploymentDetails(details) };
    },
  });
}
