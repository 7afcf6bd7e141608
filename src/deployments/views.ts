import { Type } from "typebox";
import { Instant, Nullable, NullableInstant, Words } from "../http/schemas.ts";
import { SERVICE_TYPES } from "../projects/project.ts";
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
import type { DeploymentLog } from "./read-logs.ts";

const SHORT_HASH_DIGITS = 7;

const ErrorSchema = Nullable(
  Type.Object(
    {
      code: Type.String(),
      message: Type.String(),
      faults: Type.Optional(
        Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }), {
          description: "Of a configuration: every fault, with its JSON Pointer in the file.",
        }),
      ),
    },
    { description: "Why it ended without success." },
  ),
);

const FIELDS = {
  id: Type.String(),
  projectId: Type.String(),
  environmentId: Nullable(
    Type.String({
      description:
        "Where exactly one environment was its target when it was accepted; null otherwise. `environments` has those that it runs in.",
    }),
  ),
  branch: Type.String(),
  commit: Type.String({ description: "The first 7 digits of `commitHash`." }),
  commitHash: Type.String({ description: "What the branch was at when the deployment was accepted." }),
  trigger: Words(DEPLOYMENT_TRIGGERS),
  rollbackOf: Nullable(Type.String({ description: "The deployment that this one brings back." })),
  status: Words(DEPLOYMENT_STATUSES),
  statusReason: Nullable(Type.String()),
  error: ErrorSchema,
  cancelRequestedAt: NullableInstant(),
  startedAt: NullableInstant(),
  endedAt: NullableInstant(),
  createdAt: Instant(),
  updatedAt: Instant(),
};

export const DeploymentSchema = Type.Object(FIELDS, {
  description: "One commit of a project's repository, brought to the environments that follow its branch.",
});

const Names = Type.Array(Type.String());

export const DeploymentDetailsSchema = Type.Object(
  {
    ...FIELDS,
    environments: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          configId: Type.String(),
          change: Words(ENVIRONMENT_CHANGES),
          status: Words(DEPLOYMENT_STATUSES),
          statusReason: Nullable(Type.String()),
          error: ErrorSchema,
          plan: Nullable(
            Type.Object(
              {
                environment: Names,
                created: Names,
                changed: Type.Array(Type.Object({ service: Type.String(), fields: Names })),
                removed: Names,
                unchanged: Names,
              },
              {
                description:
                  "What applying the configuration does: fields of the environment that change, and its services by their ids in the configuration. Null until its turn.",
              },
            ),
          ),
          startedAt: NullableInstant(),
          endedAt: NullableInstant(),
        },
        { description: "The deployment's run in one environment." },
      ),
    ),
    services: Type.Array(
      Type.Object({
        id: Type.String(),
        environmentId: Type.String(),
        configId: Type.String(),
        name: Type.String(),
        type: Words(SERVICE_TYPES),
        status: Words(SERVICE_STATUSES),
        error: ErrorSchema,
        artifact: Nullable(Type.String({ description: "What was built, as the platform names it." })),
        url: Nullable(Type.String({ description: "Where other services of the environment reach it." })),
        buildStartedAt: NullableInstant(),
        buildEndedAt: NullableInstant(),
        releaseStartedAt: NullableInstant(),
        endedAt: NullableInstant(),
      }),
    ),
  },
  { description: "A deployment, and what becomes of each environment and service." },
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

export const RollbackSchema = Type.Object({
  deployment: DeploymentSchema,
  notRestored: Type.Array(Type.String(), { description: "What stays as it is now, in plain words." }),
});

/** What a rollback leaves alone. */
export const NOT_RESTORED = [
  "Variables that were set with the API: those in force now are used. Variables of the configuration go back with it.",
  "Custom domains and their certificates.",
  "Services that were removed since: they are made anew, with new ids, and built again.",
  "Data of the services, such as databases and files.",
];

export const LogsSchema = Type.Object({
  lines: Type.Array(
    Type.Object({
      at: Instant(),
      serviceId: Type.String(),
      service: Type.String({ description: "Its id in the configuration." }),
      stream: Words(["build", "stdout", "stderr", "platform"]),
      text: Type.String(),
    }),
  ),
  nextCursor: Type.String({
    description: "Give it as `cursor` to get what follows; it stays usable while nothing follows yet.",
  }),
});

export function viewLogs({ lines, next }: DeploymentLog) {
  return { lines: lines.map((line) => ({ ...line, at: line.at.toISOString() })), nextCursor: next };
}
