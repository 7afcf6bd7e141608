import { Type } from "typebox";
import { type ObservedStore, STORE_STATUSES } from "../../cloud/platform.ts";
import { GIT_PROVIDERS } from "../../git/git.ts";
import {
  At,
  CreatedAt,
  Flag,
  Id,
  Instant,
  Nullable,
  Text,
  UpdatedAt,
  Words,
  viewAs,
} from "../../http/schemas.ts";
import {
  DEPLOY_TRIGGERS,
  DEPLOYERS,
  type Environment,
  type PendingRedeploy,
  type ProjectDetails,
  PROJECT_ACCESSES,
  PROJECT_STATUSES,
  ENVIRONMENT_TYPES,
  SERVICE_TYPES,
  type Service,
  statusOf,
} from "./project.ts";

export const GitProviderSchema = Words(GIT_PROVIDERS, {
  title: "GitProvider",
  description: "`provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at `host`.",
});

export const ConfigTypeSchema = Words(["gui", "iac"], {
  title: "ConfigType",
  description: "`gui`: the configuration is in `config`. `iac`: it is a file in the repository.",
  examples: ["iac"],
});

export const ProjectAccessSchema = Words(PROJECT_ACCESSES, {
  title: "ProjectAccess",
  description:
    "`organization`: every user sees it, with the role of the organization or a higher one as a member. `members`: only its members see it, with their roles as members. Admins of the organization are admins of every project.",
  examples: ["organization"],
});

export const ProjectSchema = Type.Object(
  {
    id: Id("proj", "Id of the project."),
    organizationId: Id("org", "The organization that it belongs to."),
    name: Text("Display name.", "Shop"),
    status: Words(PROJECT_STATUSES, {
      title: "ProjectStatus",
      description:
        "`DELETING` while the project's resources in the cloud account are being removed; after that, reads of the project return 404. A project that is being deleted has no environments and cannot be changed.",
      examples: ["ACTIVE"],
    }),
    repoUrl: Text("Its git repository.", "https://github.com/acme/shop"),
    awsAccountId: Id("aws", "The cloud account connection that it is deployed to."),
    codeSource: Type.Object(
      {
        provider: GitProviderSchema,
        host: Nullable(Text("The host of the self-hosted GitLab; only with `provider_b_self_hosted`.", null)),
      },
      { title: "CodeSource", description: "The location of the repository." },
    ),
    configType: ConfigTypeSchema,
    config: Nullable(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: "object",
        additionalProperties: true,
        description:
          "The configuration as it was sent, following the schema at /schema.json; only with `gui`.",
        examples: [null],
      }),
    ),
    configFilePath: Nullable(
      Text("Path of the configuration in the repository; only with `iac`.", "slipway.json"),
    ),
    configFileBranch: Nullable(Text("Branch that holds the file; only with `iac`.", "main")),
    access: ProjectAccessSchema,
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "Project", description: "A repository that is deployed to one cloud account." },
);

export function viewProject(project: ProjectDetails) {
  const { provider, host } = project;
  return viewAs(ProjectSchema, { ...project, status: statusOf(project), codeSource: { provider, host } });
}

export const DeployersSchema = Words(DEPLOYERS, {
  title: "Deployers",
  description: "The lowest role in the project that may deploy.",
  examples: ["admin"],
});

export const DEPLOYERS_MEANING =
  "The lowest role in the project that may deploy to the environment, and set its variables and domains.";
export const APPROVERS_MEANING =
  "The lowest role in the project that may approve a deployment. The role of `deployers` is also required.";

/** 30 days, as at GitHub. */
const APPROVAL_HOURS_MAX = 720;

export const ApprovalHoursSchema = Type.Integer({
  minimum: 1,
  maximum: APPROVAL_HOURS_MAX,
  description: "The number of hours after which a deployment without an approval is cancelled.",
  examples: [72],
});

const ProtectionSchema = Type.Object(
  {
    deployers: At(DeployersSchema, DEPLOYERS_MEANING),
    approval: Nullable(
      Type.Object(
        { approvers: At(DeployersSchema, APPROVERS_MEANING), timeoutHours: ApprovalHoursSchema },
        {
          title: "ApprovalRule",
          description:
            "Each deployment waits until a person who did not start it approves it; null if no approval is required.",
        },
      ),
    ),
  },
  {
    title: "Protection",
    description: "The roles that may change an environment's deployments, variables and domains.",
  },
);

export const EnvironmentSchema = Type.Object(
  {
    id: Id("env", "Id of the environment."),
    projectId: Id("proj", "The project that it belongs to."),
    configId: Text("Its id in the configuration.", "production"),
    name: Text("Display name.", "Production"),
    region: Text("The AWS region that it is deployed to.", "us-west-2"),
    source: Type.Object(
      {
        branch: Text("The branch that is deployed.", "main"),
        trigger: Words(DEPLOY_TRIGGERS, {
          title: "DeployTrigger",
          description: "`manual`: deployed by an API request. `push`: deployed when the branch moves.",
          examples: ["push"],
        }),
      },
      { title: "EnvironmentSource", description: "The branch that is deployed, and when." },
    ),
    isTemplate: Flag(
      "Whether previews are made from it (`source.pr`). It is not deployed itself, and its variables are those of its previews, except for managed values without `availableInPreviews`.",
      false,
    ),
    templateId: Nullable(
      Text("The environment that a preview was made from; null in other environments.", null),
    ),
    protection: ProtectionSchema,
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "Environment", description: "One deployment target of a project." },
);

export function viewEnvironment(environment: Environment) {
  const { branch, deployTrigger: trigger, deployers, approvers, approvalHours } = environment;
  const approval =
    approvers === null || approvalHours === null ? null : { approvers, timeoutHours: approvalHours };
  const protection = { deployers, approval };
  const isTemplate = environment.template !== null;
  return viewAs(EnvironmentSchema, { ...environment, isTemplate, source: { branch, trigger }, protection });
}

export const ServiceTypeSchema = Words(SERVICE_TYPES, {
  title: "ServiceType",
  description:
    "`static`: files. `web`: a server that answers HTTP. `web-private`: a server for other services of its environment only. `worker`: a background process that takes no requests. `scheduler`: commands that run on schedules. `external`: a host of your own. `postgres`, `mysql`, `redis`, `bucket`: data stores. `previews`: made by Slipway, it has the domain below which the previews of a template are.",
});

export const EnvironmentTypeSchema = Words(ENVIRONMENT_TYPES, {
  title: "EnvironmentType",
  description:
    "`preview`: made from a template for a pull request or a key. `standard`: all other environments.",
  examples: ["standard"],
});

const PendingRedeploySchema = Nullable(
  Type.Object(
    {
      since: Instant("When the running release was given its variables.", "2026-11-20T09:52:40.000Z"),
      variables: Type.Array(
        Type.Object(
          {
            name: Text("The variable's name.", "LOG_LEVEL"),
            from: Words(["environment", "service"], {
              title: "EnvVariableOwner",
              description: "Whether it is a variable of the service or of its environment.",
              examples: ["service"],
            }),
            changedAt: Instant("When it took effect, or was deleted.", "2026-11-20T10:05:00.000Z"),
            isDeleted: Flag("Whether the service has no variable of this name any longer.", false),
          },
          { title: "PendingVariable", description: "A variable that changed since the release." },
        ),
        { description: "The variables that are newer than the release, ordered by name." },
      ),
    },
    {
      title: "PendingRedeploy",
      description: "The variables that the running release of a service does not have yet.",
    },
  ),
);

export const ServiceSchema = Type.Object(
  {
    id: Id("svc", "Id of the service."),
    projectId: Id("proj", "The project that it belongs to."),
    environmentId: Id("env", "The environment that it belongs to."),
    configId: Text("Its id in the configuration.", "web"),
    name: Text("Display name.", "Website"),
    type: ServiceTypeSchema,
    settings: Type.Unsafe<Service["settings"]>({
      type: "object",
      additionalProperties: true,
      description: "The service's fields in the configuration that depend on its type, and `dependsOn`.",
      examples: [{ outputDirectory: "public", dependsOn: [] }],
    }),
    cdnDomainName: Nullable(
      Text(
        "The host name of its default distribution, or of a preview's service its name below `source.previews.domain`; null until the distribution exists, and for services that have none.",
        "d111111abcdef8.cloudfront.net",
      ),
    ),
    pendingRedeploy: At(
      PendingRedeploySchema,
      "The variables that are newer than the running release, which gets them with the next deployment or restart; null if there are none, or nothing runs.",
      null,
    ),
    dataStore: Nullable(
      Type.Object(
        {
          status: Words(STORE_STATUSES, {
            title: "DataStoreStatus",
            description:
              "`CREATING`: being created; deployments of services that refer to it wait. `AVAILABLE`. `CHANGING`: usable while it is changed; with `failure`, it has stopped, and services do not get its values. `FAILED`: it could not be created; Slipway tries again. `DELETING`.",
            examples: ["AVAILABLE"],
          }),
          version: Nullable(Text("The version that runs, once known.", "17")),
          waitingFor: Nullable(Text("What it waits for, while it does.", null)),
          failure: Nullable(
            Type.Object(
              {
                code: Text("The cause, for programs.", "PROGRAM_MISSING"),
                message: Text("The cause, and what to do.", "Install the package postgresql-17."),
              },
              {
                title: "DataStoreFailure",
                description:
                  "Why it could not be created; with `CHANGING`, why it does not work; of an available one, why the last change was not made.",
              },
            ),
          ),
        },
        {
          title: "DataStore",
          description: "The state of a data store that Slipway creates; null for every other service.",
        },
      ),
    ),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "Service", description: "One part of an environment." },
);

/** What features above know of a service. */
type ServiceExtras = {
  /** The host of its default distribution. */
  readonly cdnDomainName: string | null;
  readonly pendingRedeploy: PendingRedeploy | null;
  readonly dataStore: Pick<ObservedStore, "status" | "version" | "waitingFor" | "failure"> | null;
};

export function viewService(
  service: Service,
  { cdnDomainName, pendingRedeploy: pending, dataStore: store }: ServiceExtras,
) {
  const pendingRedeploy =
    pending === null
      ? null
      : {
          since: pending.since.toISOString(),
          variables: pending.variables.map((one) => ({ ...one, changedAt: one.changedAt.toISOString() })),
        };
  const dataStore = store && {
    status: store.status,
    version: store.version,
    waitingFor: store.waitingFor,
    failure: store.failure,
  };
  return viewAs(ServiceSchema, { ...service, cdnDomainName, pendingRedeploy, dataStore });
}
