import { Type } from "typebox";
import { At, Id, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { ServiceTypeSchema } from "../projects/views.ts";
import {
  DEPLOYMENT_STATUSES,
  type DeployedService,
  type DeploymentError,
  ENVIRONMENT_CHANGES,
  type Run,
  SERVICE_STATUSES,
} from "./deployment.ts";

const FaultOfFileSchema = Type.Object(
  {
    path: Text("The place in the file, as a JSON Pointer.", "/environments/0/services/0/port"),
    code: Text("What is wrong, for programs.", "REQUIRED"),
    message: Text("What is wrong.", "is required"),
  },
  { title: "ConfigurationFault", description: "One fault of a configuration." },
);

const ErrorSchema = Nullable(
  Type.Object(
    {
      code: Text("What is wrong, for programs.", "BUILD_FAILED"),
      message: Text(
        "What is wrong and what to do.",
        "The build command ended with exit code 1. Its log says why.",
      ),
      faults: Type.Optional(
        Type.Array(FaultOfFileSchema, {
          description: "For an invalid configuration: every fault, with its JSON Pointer in the file.",
        }),
      ),
    },
    { title: "DeploymentError", description: "Why something failed." },
  ),
);

export const ERROR = At(ErrorSchema, "Why it failed; null otherwise.", null);

export const DeploymentStatusSchema = Words(DEPLOYMENT_STATUSES, {
  title: "DeploymentStatus",
  description:
    "Waiting: `PENDING`; `PENDING_APPROVAL`, until a second person approves it. Running: `INPROGRESS`, `BUILDING`, `DEPLOYING`. Ended: `SUCCESS`, `ERROR`, `BUILD_ERROR`, `CANCELLED`, `SUPERSEDED` (a newer deployment replaced it while it waited).",
  examples: ["SUCCESS"],
});

export const STATUS_REASON = Nullable(Text("Explains the status in plain words, if needed.", null));

export const STARTED_AT = NullableInstant("When it began; null while it waits.", "2026-11-20T09:52:03.000Z");

export const ENDED_AT = NullableInstant("When it ended; null until then.", "2026-11-20T09:53:40.000Z");

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
          { title: "ServiceChange", description: "What changes of a service." },
        ),
        { description: "Services whose settings change." },
      ),
      removed: Names("Services that are removed."),
      unchanged: Names("Services that do not change."),
    },
    {
      title: "EnvironmentPlan",
      description:
        "What the configuration changes in an environment. Services are named by their ids in the configuration.",
    },
  ),
);

export const RunSchema = Type.Object(
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
    plan: At(PlanSchema, "Null until the run starts."),
    startedAt: STARTED_AT,
    endedAt: ENDED_AT,
  },
  { title: "EnvironmentRun", description: "The deployment's run in one environment." },
);

export const DeployedServiceSchema = Type.Object(
  {
    id: Id("svc", "The service."),
    environmentId: Id("env", "Its environment."),
    configId: Text("Its id in the configuration.", "web"),
    name: Text("Shown to people.", "Website"),
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
        "What was built, as the platform names it.",
        "depl_01kahy9f5h3x6b2s8e4v7w1qzt-svc_01kahxv3n8r5m2t9x7c4p6a1je",
      ),
    ),
    url: Nullable(
      Text(
        "The address where other services of the environment reach it.",
        "https://d111111abcdef8.cloudfront.net",
      ),
    ),
    buildStartedAt: NullableInstant("When its build began.", "2026-11-20T09:52:04.000Z"),
    buildEndedAt: NullableInstant("When its build ended.", "2026-11-20T09:53:11.000Z"),
    releaseStartedAt: NullableInstant("When its release began.", "2026-11-20T09:53:12.000Z"),
    endedAt: ENDED_AT,
  },
  { title: "DeployedService", description: "One service in a deployment." },
);

export function viewRun({
  environmentId,
  configId,
  change,
  status,
  statusReason,
  error,
  plan,
  ...times
}: Run) {
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

export function viewService(service: DeployedService) {
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

export function viewError(error: DeploymentError | null) {
  if (error === null) return null;
  const { code, message, faults } = error;
  return faults === undefined ? { code, message } : { code, message, faults: [...faults] };
}

export function instant(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}
