import { type TProperties, Type } from "typebox";
import { EXAMPLE_IDS, Id, Instant, Nullable, Text, Words } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";
import { DEPLOYERS } from "../projects/project.ts";
import { DEPLOYMENT_STATUSES, DEPLOYMENT_TRIGGERS, SERVICE_STATUSES } from "./deployment.ts";

const DEPLOYMENT = {
  status: Words(DEPLOYMENT_STATUSES, {
    description: "The deployment's present status.",
    examples: ["SUCCESS"],
  }),
  branch: Text("The branch that is deployed.", "main"),
  commit: Text("The commit.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
  trigger: Words(DEPLOYMENT_TRIGGERS, { description: "The trigger of the deployment.", examples: ["push"] }),
};

const PREVIOUS_STATUS = {
  previousStatus: Words(DEPLOYMENT_STATUSES, {
    description: "The previous status.",
    examples: ["DEPLOYING"],
  }),
};

const RUN = {
  ...DEPLOYMENT,
  ...PREVIOUS_STATUS,
  status: Words(DEPLOYMENT_STATUSES, {
    description: "The status in this environment.",
    examples: ["SUCCESS"],
  }),
  environment: Text("The environment's id in the configuration.", "production"),
};

const ENVIRONMENTS = Type.Array(
  Type.Object(
    {
      id: Id("env", "The environment."),
      environment: Text("Its id in the configuration.", "production"),
      status: Words(DEPLOYMENT_STATUSES, { description: "How it ended there.", examples: ["BUILD_ERROR"] }),
      error: Nullable(CodedErrorSchema),
    },
    { title: "EventDeploymentEnvironment", description: "How a deployment ended in one environment." },
  ),
  {
    description:
      "The result in each environment; empty if the deployment ended before its environments were known.",
  },
);

const SERVICES = Type.Array(
  Type.Object(
    {
      id: Id("svc", "The service."),
      service: Text("Its id in the configuration.", "web"),
      status: Words(SERVICE_STATUSES, { description: "How it ended.", examples: ["BUILD_ERROR"] }),
      error: Nullable(CodedErrorSchema),
    },
    { title: "EventDeployedService", description: "A service that failed." },
  ),
  { description: "The services that failed, at most ten; the deployment lists all of them." },
);

const APPROVAL = {
  branch: DEPLOYMENT.branch,
  commit: DEPLOYMENT.commit,
  trigger: DEPLOYMENT.trigger,
  startedBy: Nullable(Text("The user who started the deployment, or the git integration.", EXAMPLE_IDS.user)),
  environment: RUN.environment,
};

const COMMENT = { comment: Nullable(Text("The comment of the person who decided.", "Read and tried.")) };

const ERROR = { error: CodedErrorSchema };
const CHANGED = { ...DEPLOYMENT, ...PREVIOUS_STATUS };
const ENDED = { ...CHANGED, environments: ENVIRONMENTS };

function ofDeployment<T extends TProperties>(description: string, data: T) {
  return { subject: "deployment", description, data: Type.Object(data) } as const;
}

export const DEPLOYMENT_EVENTS = declareEvents({
  "deployment.created": ofDeployment(
    "A deployment was accepted: by request, by a push, as a rollback, or as the restart of a service, which `serviceId` names.",
    {
      ...DEPLOYMENT,
      rollbackOf: Nullable(Text("The deployment that it rolls back to.", null)),
    },
  ),
  "deployment.approval_requested": ofDeployment(
    "The deployment waits in one environment until a second person approves it.",
    {
      ...APPROVAL,
      approvers: Words(DEPLOYERS, {
        description: "The lowest role in the project that may approve it.",
        examples: ["admin"],
      }),
      expiresAt: Instant(
        "When the deployment is cancelled if it was not decided.",
        "2026-11-23T09:52:02.000Z",
      ),
    },
  ),
  "deployment.approved": ofDeployment(
    "A person approved the deployment in one environment, or bypassed the approval. `actor` says who.",
    {
      ...APPROVAL,
      ...COMMENT,
      isBypass: Type.Boolean({
        description: "Whether an admin of the project bypassed the approval in an emergency.",
        examples: [false],
      }),
    },
  ),
  "deployment.rejected": ofDeployment(
    "A person rejected the deployment in one environment, where it is cancelled. `actor` says who.",
    { ...APPROVAL, ...COMMENT },
  ),
  "deployment.building": ofDeployment("Services are being built.", CHANGED),
  "deployment.deploying": ofDeployment("Services are being released.", CHANGED),
  "deployment.succeeded": ofDeployment(
    "The commit is live in all of its environments, except in environments where a newer deployment replaced it.",
    ENDED,
  ),
  "deployment.failed": ofDeployment("A deployment failed, in at least one environment.", {
    ...ENDED,
    ...ERROR,
  }),
  "deployment.cancelled": ofDeployment(
    "A deployment was cancelled, rejected, or not approved in time; or its project was deleted before it ended.",
    { ...ENDED, ...ERROR },
  ),
  "deployment.superseded": ofDeployment("A newer deployment replaced this one while it waited.", {
    ...ENDED,
    ...ERROR,
  }),
  "deployment.environment_succeeded": ofDeployment("The commit is live in one environment.", RUN),
  "deployment.environment_failed": ofDeployment("The deployment failed in one environment.", {
    ...RUN,
    ...ERROR,
    services: SERVICES,
  }),
  "deployment.environment_cancelled": ofDeployment(
    "The deployment was cancelled in one environment; `error.code` says whether it was rejected there, or not approved in time.",
    { ...RUN, ...ERROR },
  ),
  "deployment.environment_superseded": ofDeployment("A newer deployment replaced it in one environment.", {
    ...RUN,
    ...ERROR,
  }),
  "service.released": {
    subject: "service",
    description: "A new release of a service is live.",
    data: Type.Object({
      deploymentId: Id("depl", "The deployment that released it."),
      service: Text("Its id in the configuration.", "web"),
      commit: DEPLOYMENT.commit,
      url: Nullable(Text("Its address for other services of its environment; null if it has none.", null)),
    }),
  },
});
