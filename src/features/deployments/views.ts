import { Type } from "typebox";
import {
  At,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  UpdatedAt,
  Words,
} from "../../http/schemas.ts";
import { ServiceTypeSchema } from "../projects/views.ts";
import {
  type DeployedService,
  type Deployment,
  DEPLOYMENT_STATUSES,
  DEPLOYMENT_TRIGGERS,
  type DeploymentDetails,
  type DeploymentError,
  ENVIRONMENT_CHANGES,
  type Run,
  SERVICE_STATUSES,
} from "./deployment.ts";
import type { DeploymentLog } from "./logs/read-logs.ts";

const SHORT_HASH_DIGITS = 7;

const FaultOfFileSchema = Type.Object(
  {
    path: Type.String({
      description: "Its place in the file, as a JSON Pointer.",
      examples: ["/environments/0/services/0/port"],
    }),
    code: Type.String({ description: "What is wrong, for programs.", examples: ["REQUIRED"] }),
    message: Type.String({ description: "What is wrong.", examples: ["is required"] }),
  },
  { title: "ConfigurationFault", description: "One fault of a configuration." },
);

const ErrorSchema = Nullable(
  Type.Object(
    {
      code: Type.String({ description: "What is wrong, for programs.", examples: ["BUILD_FAILED"] }),
      message: Type.String({
        description: "What is wrong, and what to do.",
        examples: ["The build command ended with exit code 1. Its log says why."],
      }),
      faults: Type.Optional(
        Type.Array(FaultOfFileSchema, {
          description: "Of a configuration: every fault, with its JSON Pointer in the file.",
        }),
      ),
    },
    { title: "DeploymentError", description: "Why something ended without success." },
  ),
);
const ERROR = At(ErrorSchema, "Why it ended without success; null otherwise.", null);

export const DeploymentStatusSchema = Words(DEPLOYMENT_STATUSES, {
  title: "DeploymentStatus",
  description:
    "`PENDING` waits for its turn; `INPROGRESS`, `BUILDING` and `DEPLOYING` go on; `SUCCESS`, `ERROR`, `BUILD_ERROR`, `CANCELLED` and `SUPERSEDED` (a newer one came while it waited) are ends.",
  examples: ["SUCCESS"],
});

const STATUS_REASON = Nullable(
  Type.String({ description: "What the status does not say, in plain words.", examples: [null] }),
);
const STARTED_AT = NullableInstant("When it began; null while it waits.", "2026-11-20T09:52:03.000Z");
const ENDED_AT = NullableInstant("When it ended; null until then.", "2026-11-20T09:53:40.000Z");
const HASH = "9fceb02d0ae598e95dc970b74767f19372d61af8";

const FIELDS = {
  id: Id("depl", "Id of the deployment."),
  projectId: Id("proj", "The project that is deployed."),
  environmentId: Nullable(
    Id(
      "env",
      "Where exactly one environment was its target when it was accepted; null otherwise. `environments` has those that it runs in.",
    ),
  ),
  branch: Type.String({ description: "The branch that is deployed.", examples: ["main"] }),
  commit: Type.String({
    description: "The first 7 digits of `commitHash`.",
    examples: [HASH.slice(0, SHORT_HASH_DIGITS)],
  }),
  commitHash: Type.String({
    description: "What the branch was at when the deployment was accepted.",
    examples: [HASH],
  }),
  trigger: Words(DEPLOYMENT_TRIGGERS, {
    title: "DeploymentTrigger",
    description: "What started it: a request, a push to the branch, or a rollback.",
  }),
  rollbackOf: Nullable(
    Type.String({ description: "The deployment that this one brings back.", examples: [null] }),
  ),
  status: DeploymentStatusSchema,
  statusReason: STATUS_REASON,
  error: ERROR,
  cancelRequestedAt: NullableInstant("When its cancellation was asked for.", null),
  startedAt: STARTED_AT,
  endedAt: ENDED_AT,
  createdAt: CreatedAt("2026-11-20T09:52:01.000Z"),
  updatedAt: UpdatedAt("2026-11-20T09:53:40.000Z"),
};

/** What is different when it has just been accepted. */
export const NEW_DEPLOYMENT_EXAMPLE = {
  status: "PENDING",
  startedAt: null,
  endedAt: null,
  updatedAt: "2026-11-20T09:52:01.000Z",
};

/** What is different when its cancellation has just been asked for. */
export const CANCELLING_EXAMPLE = {
  status: "BUILDING",
  cancelRequestedAt: "2026-11-20T09:52:30.000Z",
  endedAt: null,
  updatedAt: "2026-11-20T09:52:30.000Z",
};

export const DeploymentSchema = Type.Object(FIELDS, {
  title: "Deployment",
  description: "One commit of a project's repository, brought to the environments that follow its branch.",
});

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
            service: Type.String({ description: "The service.", examples: ["web"] }),
            fields: Names("Its fields that change.", ["outputDirectory"]),
          },
          { title: "ServiceChange", description: "What changes of a service." },
        ),
        { description: "Services that stay, with other settings." },
      ),
      removed: Names("Services that are removed."),
      unchanged: Names("Services that stay as they are."),
    },
    {
      title: "EnvironmentPlan",
      description:
        "What applying the configuration does to an environment and its services, which are named by their ids in the configuration.",
    },
  ),
);

const RunSchema = Type.Object(
  {
    id: Id("env", "The environment."),
    configId: Type.String({
      description: "The id that the configuration gives it.",
      examples: ["production"],
    }),
    change: Words(ENVIRONMENT_CHANGES, {
      title: "EnvironmentChange",
      description: "What the deployment does to the environment as a whole.",
      examples: ["KEPT"],
    }),
    status: DeploymentStatusSchema,
    statusReason: STATUS_REASON,
    error: ERROR,
    plan: At(PlanSchema, "Null until its turn."),
    startedAt: STARTED_AT,
    endedAt: ENDED_AT,
  },
  { title: "EnvironmentRun", description: "The deployment's run in one environment." },
);

const DeployedServiceSchema = Type.Object(
  {
    id: Id("svc", "The service."),
    environmentId: Id("env", "Its environment."),
    configId: Type.String({ description: "The id that the configuration gives it.", examples: ["web"] }),
    name: Type.String({ description: "Shown to people.", examples: ["Website"] }),
    type: ServiceTypeSchema,
    status: Words(SERVICE_STATUSES, {
      title: "DeployedServiceStatus",
      description:
        "`INPROGRESS` is built and waits for services that it depends on; the other words are as those of a deployment.",
      examples: ["SUCCESS"],
    }),
    error: ERROR,
    artifact: Nullable(
      Type.String({
        description: "What was built, as the platform names it.",
        examples: ["depl_01kahy9f5h3x6b2s8e4v7w1qzt-svc_01kahxv3n8r5m2t9x7c4p6a1je"],
      }),
    ),
    url: Nullable(
      Type.String({
        description: "Where other services of the environment reach it.",
        examples: ["https://d111111abcdef8.cloudfront.net"],
      }),
    ),
    buildStartedAt: NullableInstant("When its build began.", "2026-11-20T09:52:04.000Z"),
    buildEndedAt: NullableInstant("When its build ended.", "2026-11-20T09:53:11.000Z"),
    releaseStartedAt: NullableInstant("When its release began.", "2026-11-20T09:53:12.000Z"),
    endedAt: ENDED_AT,
  },
  { title: "DeployedService", description: "What becomes of one service in a deployment." },
);

export const DeploymentDetailsSchema = Type.Object(
  {
    ...FIELDS,
    environments: Type.Array(RunSchema, { description: "Its run in each environment." }),
    services: Type.Array(DeployedServiceSchema, { description: "Each service of these environments." }),
  },
  {
    title: "DeploymentDetails",
    description: "A deployment, and what becomes of each environment and service.",
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
    commit: commitHash.slice(0, SHORT_HASH_DIGITS),
    commitHash,
    trigger,
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

export function viewDeploymentDetails({ deployment, runs, services }: DeploymentDetails) {
  return {
    ...viewDeployment(deployment),
    environments: runs.map(viewRun),
    services: services.map(viewService),
  };
}

function viewRun({ environmentId, configId, change, status, statusReason, error, plan, ...times }: Run) {
  return {
    id: environmentId,
    configId,
    change,
    status,
    statusReason,
    error: viewError(error),
    plan: plan === null ? null : viewPlan(plan),
    startedAt: instant(times.startedAt),
    endedAt: instant(times.endedAt),
  };
}

function viewPlan({ environment, created, changed, removed, unchanged }: NonNullable<Run["plan"]>) {
  return {
    environment: [...environment],
    created: [...created],
    changed: changed.map(({ service, fields }) => ({ service, fields: [...fields] })),
    removed: [...removed],
    unchanged: [...unchanged],
  };
}

function viewService(service: DeployedService) {
  const { serviceId, environmentId, configId, name, type, status, error, artifact, url } = service;
  return {
    id: serviceId,
    environmentId,
    configId,
    name,
    type,
    status,
    error: viewError(error),
    artifact,
    url,
    buildStartedAt: instant(service.buildStartedAt),
    buildEndedAt: instant(service.buildEndedAt),
    releaseStartedAt: instant(service.releaseStartedAt),
    endedAt: instant(service.endedAt),
  };
}

function viewError(error: DeploymentError | null) {
  if (error === null) return null;
  const { code, message, faults } = error;
  return faults === undefined ? { code, message } : { code, message, faults: [...faults] };
}

function instant(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}

/** What is different of the deployment that brings an earlier one back. */
export const ROLLBACK_EXAMPLE = {
  ...NEW_DEPLOYMENT_EXAMPLE,
  trigger: "rollback",
  rollbackOf: "depl_01kahv2m4c8r1w6t3k9p5x7hbn",
};

export const RollbackSchema = Type.Object(
  {
    deployment: DeploymentSchema,
    notRestored: Type.Array(Type.String(), {
      description: "What stays as it is now, in plain words.",
      examples: [["Custom domains and their certificates."]],
    }),
  },
  { title: "Rollback", description: "The deployment that brings an earlier one back." },
);

/** What a rollback leaves alone. */
export const NOT_RESTORED = [
  "Variables that were set with the API: those in force now are used. Variables of the configuration go back with it.",
  "Custom domains and their certificates.",
  "Services that were removed since: they are made anew, with new ids, and built again.",
  "Data of the services, such as databases and files.",
];

const LogLineSchema = Type.Object(
  {
    at: Instant("When it was printed.", "2026-11-20T09:52:07.000Z"),
    serviceId: Id("svc", "The service that it is about."),
    service: Type.String({ description: "Its id in the configuration.", examples: ["web"] }),
    stream: Words(["build", "stdout", "stderr", "platform"], {
      title: "LogStream",
      description: "Who printed it: the build, the process, or the platform about them.",
    }),
    text: Type.String({ description: "The line, without its end.", examples: ["added 132 packages in 4s"] }),
  },
  { title: "LogLine", description: "One line of a log." },
);

export const LogsSchema = Type.Object(
  {
    lines: Type.Array(LogLineSchema, { description: "In the order in which they were printed." }),
    nextCursor: Type.String({
      description: "Give it as `cursor` to get what follows; it stays usable while nothing follows yet.",
      examples: ["eyJ3ZWIiOiIxMiJ9"],
    }),
  },
  { title: "DeploymentLogs", description: "Lines of a deployment's log, and where to go on." },
);

const ProgressSchema = Type.Object(
  { status: DeploymentStatusSchema },
  { title: "DeploymentProgress", description: "How far the deployment is." },
);

/** One server-sent event of a log that is followed. Its `data` comes as JSON text. */
export const LogEventSchema = Type.Unsafe<unknown>({
  title: "LogEvent",
  description: "A server-sent event of a log that is followed live. `data` comes as JSON.",
  type: "object",
  required: ["event", "data"],
  discriminator: { propertyName: "event" },
  oneOf: [
    Type.Object(
      {
        event: Type.Literal("line", { description: "A line was printed." }),
        id: Type.Optional(
          Type.String({
            description: "A cursor: give it as `Last-Event-ID` or `cursor` to go on after this line.",
            examples: ["eyJ3ZWIiOiIxMiJ9"],
          }),
        ),
        data: LogLineSchema,
      },
      { title: "LogLineEvent", description: "A line of the log." },
    ),
    Type.Object(
      {
        event: Type.Literal("status", { description: "The deployment has another status." }),
        data: ProgressSchema,
      },
      { title: "LogStatusEvent", description: "The deployment's status: first of all, and when it changes." },
    ),
    Type.Object(
      {
        event: Type.Literal("end", { description: "Nothing comes after this." }),
        data: ProgressSchema,
      },
      { title: "LogEndEvent", description: "The deployment has ended, and all of its log was sent." },
    ),
  ],
});

export function viewLogs({ lines, next }: DeploymentLog) {
  return { lines: lines.map((line) => ({ ...line, at: line.at.toISOString() })), nextCursor: next };
}
