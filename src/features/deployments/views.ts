import { Type } from "typebox";
import {
  At,
  CreatedAt,
  EXAMPLE_IDS,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  viewAs,
  Words,
} from "../../http/schemas.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { DeployersSchema, ServiceTypeSchema } from "../projects/views.ts";
import {
  type Approval,
  APPROVAL_STATUSES,
  DEPLOYMENT_STATUSES,
  DEPLOYMENT_TRIGGERS,
  type DeployedService,
  type Deployment,
  type DeploymentDetails,
  ENVIRONMENT_CHANGES,
  POST_DEPLOY_STATUSES,
  type Run,
  SERVICE_STATUSES,
} from "./deployment.ts";

const HASH = "9fceb02d0ae598e95dc970b74767f19372d61af8";

export const ConfigurationFaultSchema = Type.Object(
  {
    path: Text("The place in the file, as a JSON Pointer.", "/environments/0/services/0/port"),
    code: Text("The fault, for programs.", "REQUIRED"),
    message: Text("The fault.", "is required"),
  },
  { title: "ConfigurationFault", description: "One fault of a configuration." },
);

const ERROR = At(
  Nullable(
    Type.Object(
      {
        code: Text("The cause, for programs.", "BUILD_FAILED"),
        message: Text(
          "The cause, and what to do.",
          "The build command ended with exit code 1. Its log says why.",
        ),
        faults: Type.Optional(
          Type.Array(ConfigurationFaultSchema, {
            description: "For an invalid configuration: every fault, with its JSON Pointer in the file.",
          }),
        ),
      },
      { title: "DeploymentError", description: "Why something failed." },
    ),
  ),
  "Why it failed; null otherwise.",
  null,
);

export const DeploymentStatusSchema = Words(DEPLOYMENT_STATUSES, {
  title: "DeploymentStatus",
  description:
    "Waiting: `PENDING`; `PENDING_APPROVAL`, until a second person approves it. Running: `INPROGRESS`, `BUILDING`, `DEPLOYING`. Ended: `SUCCESS`, `ERROR`, `BUILD_ERROR`, `CANCELLED`, `SUPERSEDED` (a newer deployment replaced it while it waited).",
  examples: ["SUCCESS"],
});

const STATUS_REASON = Nullable(Text("Explains the status in plain words, if needed.", null));
const STARTED_AT = NullableInstant("When it began; null while it waits.", "2026-11-20T09:52:03.000Z");
const ENDED_AT = NullableInstant("When it ended; null until then.", "2026-11-20T09:53:40.000Z");

export const DeploymentSchema = Type.Object(
  {
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
    commitHash: Text(
      "The branch's commit when the deployment was accepted; of a restart, the commit that the service runs.",
      HASH,
    ),
    commitMessage: Nullable(
      Text(
        "The commit's message, cut to 2,000 characters and without e-mail addresses of people; null until it is read, and if the git host does not give it.",
        "Show the price with tax",
      ),
    ),
    commitAuthor: Nullable(
      Text("The name of the commit's author; null if the git host does not give it.", "Ada Lovelace"),
    ),
    trigger: Words(DEPLOYMENT_TRIGGERS, {
      title: "DeploymentTrigger",
      description: "The trigger: a request, a push to the branch, a rollback, or a restart of one service.",
    }),
    startedBy: Nullable(
      Text(
        "The user who started it, or for a push the git integration; null in deployments of earlier releases.",
        EXAMPLE_IDS.user,
      ),
    ),
    rollbackOf: Nullable(Text("The deployment that this one rolls back to.", null)),
    restartedServiceId: Nullable(
      Text("The service that this deployment restarts; null for every other trigger than `restart`.", null),
    ),
    status: DeploymentStatusSchema,
    statusReason: STATUS_REASON,
    error: ERROR,
    cancelRequestedAt: NullableInstant("When its cancellation was requested.", null),
    startedAt: STARTED_AT,
    endedAt: ENDED_AT,
    createdAt: CreatedAt("2026-11-20T09:52:01.000Z"),
    updatedAt: UpdatedAt("2026-11-20T09:53:40.000Z"),
  },
  {
    title: "Deployment",
    description: "One commit of a project's repository, deployed to the environments that follow its branch.",
  },
);

export function viewDeployment(deployment: Deployment) {
  return viewAs(DeploymentSchema, { ...deployment, commit: shortHash(deployment.commitHash) });
}

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

const Names = (description: string, example: readonly string[] = []) =>
  Type.Array(Type.String(), { description, examples: [example] });

const PlanSchema = Nullable(
  Type.Object(
    {
      environment: Names("Fields of the environment that change."),
      created: Names("Services that are new."),
      changed: Type.Array(
        Type.Object(
          {
            service: Text("The service.", "web"),
            fields: Names("Its fields that change.", ["outputDirectory"]),
          },
          { title: "ServiceChange", description: "The changes of a service." },
        ),
        { description: "Services whose settings change." },
      ),
      removed: Names("Services that are removed."),
      unchanged: Names("Services that do not change."),
      kept: Type.Array(
        Type.Object(
          {
            service: Text("The service.", "web"),
            serviceId: Id("svc", "Its id."),
            deploymentId: Id("depl", "The deployment whose release continues to run."),
            commitHash: Text("The commit of that release.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
          },
          { title: "KeptService", description: "A service that was not built." },
        ),
        {
          description:
            "Services that were not built, because the push changes none of the files that they watch (`watchPaths`) since the commit that they run. Their releases continue.",
          examples: [[]],
        },
      ),
    },
    {
      title: "EnvironmentPlan",
      description:
        "What the configuration changes in an environment. Services are named by their ids in the configuration.",
    },
  ),
);

const RunSchema = Type.Object(
  {
    id: Id("env", "The environment."),
    configId: Text("Its id in the configuration.", "production"),
    change: Words(ENVIRONMENT_CHANGES, {
      title: "EnvironmentChange",
      description: "What the deployment does to the environment as a whole.",
      examples: ["KEPT"],
    }),
    status: DeploymentStatusSchema,
    statusReason: STATUS_REASON,
    error: ERROR,
    plan: At(PlanSchema, "Null until the run starts, and in a restart, which applies no configuration."),
    startedAt: STARTED_AT,
    endedAt: ENDED_AT,
  },
  { title: "EnvironmentRun", description: "The deployment's run in one environment." },
);

function viewRun(run: Run) {
  const plan = run.plan === null ? null : { ...run.plan, kept: [...(run.plan.kept ?? [])] };
  return viewAs(RunSchema, { ...run, id: run.environmentId, plan });
}

const PostDeploySchema = Nullable(
  Type.Object(
    {
      executionId: Id("exec", "The execution, which Slipway keeps for 30 days."),
      status: Words(POST_DEPLOY_STATUSES, {
        title: "PostDeployStatus",
        description: "`RUNNING` until it ends; `FAILED` also if it was cancelled. The execution has more.",
        examples: ["SUCCEEDED"],
      }),
      error: ERROR,
    },
    { title: "PostDeploy", description: "The run of `postDeployCommand`." },
  ),
);

const DeployedServiceSchema = Type.Object(
  {
    id: Id("svc", "The service."),
    environmentId: Id("env", "Its environment."),
    configId: Text("Its id in the configuration.", "web"),
    name: Text("Display name.", "Website"),
    type: ServiceTypeSchema,
    status: Words(SERVICE_STATUSES, {
      title: "DeployedServiceStatus",
      description:
        "`INPROGRESS`: built, and waiting for services that it depends on. The other values are those of a deployment.",
      examples: ["SUCCESS"],
    }),
    error: ERROR,
    artifact: Nullable(
      Text(
        "The result of the build, as the platform names it.",
        "depl_01kahy9f5h3x6b2s8e4v7w1qzt-svc_01kahxv3n8r5m2t9x7c4p6a1je",
      ),
    ),
    url: Nullable(
      Text(
        "Its address for other services of its environment; null if it has none. The health of the service has its public addresses.",
        "https://d111111abcdef8.cloudfront.net",
      ),
    ),
    postDeploy: At(
      PostDeploySchema,
      "The run of `postDeployCommand`, which changes no status; null without one, and until the release is live.",
    ),
    buildStartedAt: NullableInstant("When its build began.", "2026-11-20T09:52:04.000Z"),
    buildEndedAt: NullableInstant("When its build ended.", "2026-11-20T09:53:11.000Z"),
    releaseStartedAt: NullableInstant("When its release began.", "2026-11-20T09:53:12.000Z"),
    endedAt: ENDED_AT,
  },
  { title: "DeployedService", description: "One service in a deployment." },
);

function viewService(service: DeployedService) {
  return viewAs(DeployedServiceSchema, { ...service, id: service.serviceId });
}

const ApprovalSchema = Type.Object(
  {
    environmentId: Id("env", "The environment that requires it."),
    configId: Text("Its id in the configuration.", "production"),
    approvers: At(DeployersSchema, "The lowest role in the project that may decide."),
    status: Words(APPROVAL_STATUSES, {
      title: "ApprovalStatus",
      description:
        "`WAITING` for a decision. Otherwise its outcome: `APPROVED`, `REJECTED`, `TIMED_OUT` without a decision, `CANCELLED` with the deployment, `SUPERSEDED` by a newer one.",
      examples: ["APPROVED"],
    }),
    requestedAt: Instant("Since when it waits.", "2026-11-20T09:52:02.000Z"),
    expiresAt: Instant("When the deployment is cancelled if it was not decided.", "2026-11-23T09:52:02.000Z"),
    decidedBy: Nullable(
      Text("The user who approved or rejected; null without a decision.", EXAMPLE_IDS.user),
    ),
    decidedAt: NullableInstant("When it stopped waiting.", "2026-11-20T09:52:40.000Z"),
    comment: Nullable(Text("The comment of that user.", "Read and tried.")),
    isBypass: Type.Boolean({
      description: "Whether an admin of the project bypassed the approval in an emergency.",
      examples: [false],
    }),
  },
  { title: "DeploymentApproval", description: "The approval that an environment requires." },
);

function viewApproval(approval: Approval) {
  return viewAs(ApprovalSchema, approval);
}

export const DeploymentDetailsSchema = Type.Object(
  {
    ...DeploymentSchema.properties,
    environments: Type.Array(RunSchema, { description: "The run in each environment." }),
    services: Type.Array(DeployedServiceSchema, { description: "All services of these environments." }),
    approvals: Type.Array(ApprovalSchema, {
      description: "The approvals that the environments required.",
    }),
  },
  {
    title: "DeploymentDetails",
    description: "A deployment with its environments and services.",
  },
);

export function viewDeploymentDetails({ deployment, runs, services, approvals }: DeploymentDetails) {
  return {
    ...viewDeployment(deployment),
    environments: runs.map(viewRun),
    services: services.map(viewService),
    approvals: approvals.map(viewApproval),
  };
}

/** The fields that differ in a restart. */
export const RESTART_EXAMPLE = {
  ...NEW_DEPLOYMENT_EXAMPLE,
  commitMessage: "Show the price with tax",
  commitAuthor: "Ada Lovelace",
  trigger: "restart",
  restartedServiceId: EXAMPLE_IDS.svc,
};

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
      description: "What a rollback does not change, in plain words.",
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
