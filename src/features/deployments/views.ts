import { Type } from "typebox";
import {
  CreatedAt,
  EXAMPLE_IDS,
  Id,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  Words,
} from "../../http/schemas.ts";
import { ApprovalSchema, viewApproval } from "./approval-views.ts";
import { DEPLOYMENT_TRIGGERS, type Deployment, type DeploymentDetails } from "./deployment.ts";
import {
  DeployedServiceSchema,
  DeploymentStatusSchema,
  ENDED_AT,
  ERROR,
  RunSchema,
  STARTED_AT,
  STATUS_REASON,
  instant,
  viewError,
  viewRun,
  viewService,
} from "./run-views.ts";
import { shortHash } from "../../lib/short-hash.ts";

const HASH = "9fceb02d0ae598e95dc970b74767f19372d61af8";

const FIELDS = {
  id: Id("depl", "Id of the deployment."),
  projectId: Id("proj", "The project that is deployed."),
  environmentId: Nullable(
    Id(
      "env",
      "The environment, if the deployment had exactly one target when it was accepted; null otherwise. `environments` lists all that it runs in.",
    ),
  ),
  branch: Text("The branch that is deployed.", "main"),
  commit: Text("The first 7 digits of `commitHash`.", shortHash(HASH)),
  commitHash: Text("The branch's commit when the deployment was accepted.", HASH),
  commitMessage: Nullable(
    Text(
      "The commit's message, cut to 2,000 characters and without e-mail addresses of people; null until it is read, and if the git host does not tell.",
      "Show the price with tax",
    ),
  ),
  commitAuthor: Nullable(
    Text("The name of the commit's author; null if the git host does not tell.", "Ada Lovelace"),
  ),
  trigger: Words(DEPLOYMENT_TRIGGERS, {
    title: "DeploymentTrigger",
    description: "What started it: a request, a push to the branch, or a rollback.",
  }),
  startedBy: Nullable(
    Text(
      "The user who started it, or for a push the git integration; null in deployments of earlier releases.",
      EXAMPLE_IDS.user,
    ),
  ),
  rollbackOf: Nullable(Text("The deployment that this one rolls back to.", null)),
  status: DeploymentStatusSchema,
  statusReason: STATUS_REASON,
  error: ERROR,
  cancelRequestedAt: NullableInstant("When its cancellation was requested.", null),
  startedAt: STARTED_AT,
  endedAt: ENDED_AT,
  createdAt: CreatedAt("2026-11-20T09:52:01.000Z"),
  updatedAt: UpdatedAt("2026-11-20T09:53:40.000Z"),
};

/** The fields that differ just after it was accepted. */
export const NEW_DEPLOYMENT_EXAMPLE = {
  status: "PENDING",
  commitMessage: null,
  commitAuthor: null,
  startedAt: null,
  endedAt: null,
  updatedAt: "2026-11-20T09:52:01.000Z",
};

/** The fields that differ just after its cancellation was requested. */
export const CANCELLING_EXAMPLE = {
  status: "BUILDING",
  cancelRequestedAt: "2026-11-20T09:52:30.000Z",
  endedAt: null,
  updatedAt: "2026-11-20T09:52:30.000Z",
};

export const DeploymentSchema = Type.Object(FIELDS, {
  title: "Deployment",
  description: "One commit of a project's repository, deployed to the environments that follow its branch.",
});

export const DeploymentDetailsSchema = Type.Object(
  {
    ...FIELDS,
    environments: Type.Array(RunSchema, { description: "The run in each environment." }),
    services: Type.Array(DeployedServiceSchema, { description: "All services of these environments." }),
    approvals: Type.Array(ApprovalSchema, {
      description: "What the environments asked for that a second person has to approve.",
    }),
  },
  {
    title: "DeploymentDetails",
    description: "A deployment with its environments and services.",
  },
);

export function viewDeployment(deployment: Deployment) {
  const { id, projectId, environmentId, branch, commitHash, trigger, rollbackOf, status, statusReason } =
    deployment;
  return {
    id,
    projectId,
    environmentId,
    branch,
    commit: shortHash(commitHash),
    commitHash,
    commitMessage: deployment.commitMessage,
    commitAuthor: deployment.commitAuthor,
    trigger,
    startedBy: deployment.startedBy,
    rollbackOf,
    status,
    statusReason,
    error: viewError(deployment.error),
    cancelRequestedAt: instant(deployment.cancelRequestedAt),
    startedAt: instant(deployment.startedAt),
    endedAt: instant(deployment.endedAt),
    createdAt: deployment.createdAt.toISOString(),
    updatedAt: deployment.updatedAt.toISOString(),
  };
}

export function viewDeploymentDetails({ deployment, runs, services, approvals }: DeploymentDetails) {
  return {
    ...viewDeployment(deployment),
    environments: runs.map(viewRun),
    services: services.map(viewService),
    approvals: approvals.map(viewApproval),
  };
}

/** The fields that differ in a rollback. */
export const ROLLBACK_EXAMPLE = {
  ...NEW_DEPLOYMENT_EXAMPLE,
  trigger: "rollback",
  rollbackOf: "depl_01kahv2m4c8r1w6t3k9p5x7hbn",
};

export const RollbackSchema = Type.Object(
  {
    deployment: DeploymentSchema,
    notRestored: Type.Array(Type.String(), {
      description: "What is not rolled back, in plain words.",
      examples: [["Custom domains and their certificates."]],
    }),
  },
  { title: "Rollback", description: "The deployment that rolls back to an earlier one." },
);

/** What a rollback does not change. */
export const NOT_RESTORED = [
  "Variables set with the API: the current ones are used. Variables of the configuration are rolled back with it.",
  "Custom domains and their certificates.",
  "Services that were removed since then: they are created again with new ids, and built again.",
  "Data of the services, such as databases and files.",
];
