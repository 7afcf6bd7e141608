import { STORE_TYPES, type StoreType } from "../../cloud/data-stores.ts";
import type { GitProvider } from "../../git/git.ts";
import type { TypedSettings } from "./service-settings.ts";

/**
 * `ACTIVE`, until a client requests its deletion while it has resources in its cloud account; then `DELETING`, until
 * all of them are removed. Its environments, services and deployments are deleted when the deletion begins.
 */
export const PROJECT_STATUSES = ["ACTIVE", "DELETING"] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

export const PROJECT_ACCESSES = ["organization", "members"] as const;
export type ProjectAccess = (typeof PROJECT_ACCESSES)[number];

export type Project = {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  readonly awsAccountId: string;
  readonly repoUrl: string;
  readonly normalizedRepoUrl: string;
  readonly provider: GitProvider;
  /** Only with `provider_b_self_hosted`. */
  readonly host: string | null;
  readonly configType: "gui" | "iac";
  readonly configFilePath: string | null;
  readonly configFileBranch: string | null;
  /** The users who see it besides admins: all users of the organization, or only its members. */
  readonly access: ProjectAccess;
  /** Null while it is `ACTIVE`. */
  readonly deletionRequestedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A project with what only its own reads show. */
export type ProjectDetails = Project & {
  /** As it was written; null with `iac`, where it is a file of the repository. */
  readonly config: Readonly<Record<string, unknown>> | null;
};

/** The word for it. Pure. */
export function statusOf({ deletionRequestedAt }: Project): ProjectStatus {
  return deletionRequestedAt === null ? "ACTIVE" : "DELETING";
}

export const DEPLOY_TRIGGERS = ["manual", "push"] as const;
export type DeployTrigger = (typeof DEPLOY_TRIGGERS)[number];

/** How much the git host is sent about deployments: `comment` is all of it. */
export const REPORTS = ["comment", "deployment", "none"] as const;
export type Report = (typeof REPORTS)[number];

export const DEPLOYERS = ["developer", "admin"] as const;
export type Deployers = (typeof DEPLOYERS)[number];

export const PREVIEW_AUDIENCES = ["protected", "public"] as const;
export type PreviewAudience = (typeof PREVIEW_AUDIENCES)[number];

/** What a pull request must have to get a preview, and what previews get. All lists are patterns such as `feature/*`. */
export type PreviewRules = {
  /** It has one of these labels; empty: any or none. */
  readonly labels: readonly string[];
  /** It is to be merged into a branch that one of these matches. */
  readonly toBranches: readonly string[];
  /** Its branch matches one of these; empty: any. */
  readonly fromBranches: readonly string[];
  /** It changes a file that one of these matches; empty: any. */
  readonly watchPaths: readonly string[];
  /** How many previews may exist at the same time. */
  readonly max: number;
  /** A preview is deleted this many days after its last commit. */
  readonly lifetimeDays: number;
  /** The processes of a preview are stopped after this time without a request; null: never. Absent in older rows. */
  readonly sleepAfterMinutes?: number | null;
  /** `protected`: previews open to users who see the project, and callers with the bypass secret. */
  readonly access: PreviewAudience;
  /** All previews have names below it (`*.domain`); null: each service has the name of its own distribution. */
  readonly domain: string | null;
  /** References to secrets that the template has. A commit cannot add others. */
  readonly references: readonly { readonly name: string; readonly reference: string }[];
  /** Data stores that each preview gets for itself. A commit cannot add or change one. Absent if there are none. */
  readonly stores?: readonly (TypedSettings & { readonly id: string })[];
};

export type Environment = {
  readonly organizationId: string;
  readonly id: string;
  readonly projectId: string;
  /** The id that the configuration gives it. */
  readonly configId: string;
  readonly name: string;
  readonly region: string;
  readonly branch: string;
  readonly deployTrigger: DeployTrigger;
  /** A preview follows its template instead. */
  readonly report: Report;
  /** If it is a template, from which previews are made: it is not deployed itself. Otherwise null. */
  readonly template: PreviewRules | null;
  /** The template of a preview; null in other environments. */
  readonly templateId: string | null;
  /** Whether the commits of a preview come from another repository, so that it gets no secret. */
  readonly isFork: boolean;
  /** The number of a preview's pull request; null if a client asked for the preview, and in other environments. */
  readonly pullRequest: number | null;
  /** The role in the project that it takes to deploy, and to set variables and domains. */
  readonly deployers: Deployers;
  /** The role in the project that it takes to approve another user's deployment; null: none asks for approval. */
  readonly approvers: Deployers | null;
  /** After how many hours without an approval a deployment is cancelled; null if none asks for approval. */
  readonly approvalHours: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The id of the environment whose only service has the domain of a template's previews. No preview has this key. */
export function configIdOfGateway(template: Pick<Environment, "configId">): string {
  return `${template.configId}.*`;
}

/** Whether it is such an environment, which is never deployed. Pure. */
export function isGateway({ configId }: Pick<Environment, "configId">): boolean {
  return configId.endsWith(".*");
}

/** The role that may change what runs in an environment, and whether a second person has to agree. */
export type Protection = Pick<Environment, "deployers" | "approvers" | "approvalHours">;

/** Whether a configuration must not remove the environment, or let it follow another branch. Pure. */
export function isProtected({ deployers, approvers }: Protection): boolean {
  return deployers !== "developer" || approvers !== null;
}

/**
 * `static`: files; `web`: a server; `web-private`: a server that only services of its environment reach; `worker`: a
 * process without a port; `scheduler`: commands that run on schedules; `external`: a host of the user's own.
 */
export const CONFIGURED_SERVICE_TYPES = [
  "static",
  "web",
  "web-private",
  "worker",
  "scheduler",
  "external",
  ...STORE_TYPES,
] as const;
/** `previews`: made by Slipway, not by a configuration. It has the domain below which a template's previews are. */
export const SERVICE_TYPES = [...CONFIGURED_SERVICE_TYPES, "previews"] as const;
export type ServiceType = (typeof SERVICE_TYPES)[number];

/** `preview`: made from a template for a pull request or a key; `standard`: all other environments. */
export const ENVIRONMENT_TYPES = ["preview", "standard"] as const;
export type EnvironmentType = (typeof ENVIRONMENT_TYPES)[number];

const DATABASE_PROPERTIES = ["dbConnectionString", "username", "password", "dbName", "host", "port"] as const;

/** The properties that other services may refer to. Workers and schedulers answer no requests, so they have none. */
export const SERVICE_PROPERTIES = {
  static: ["url", "host"],
  web: ["url", "host", "port"],
  "web-private": ["url", "host", "port"],
  worker: [],
  scheduler: [],
  external: ["url", "host"],
  previews: [],
  postgres: DATABASE_PROPERTIES,
  mysql: DATABASE_PROPERTIES,
  redis: ["connectionString", "host", "port", "authToken"],
  bucket: ["bucketName"],
} as const satisfies Readonly<Record<ServiceType, readonly string[]>>;

/** Those of the type. Pure. */
export function propertiesOf(type: ServiceType): readonly string[] {
  return SERVICE_PROPERTIES[type];
}

/** A union by `type`: `settings` are the fields of the configuration that belong to the type. */
export type Service = TypedSettings & {
  readonly organizationId: string;
  readonly id: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly configId: string;
  readonly name: string;
  /** The host name of a preview's service below the domain of its template; null: it has a distribution of its own. */
  readonly previewHost: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** What the running release of a service has not got yet. */
export type PendingRedeploy = {
  /** When the running release was given its variables. */
  readonly since: Date;
  /** By name. */
  readonly variables: readonly {
    readonly name: string;
    readonly from: "environment" | "service";
    readonly changedAt: Date;
    readonly isDeleted: boolean;
  }[];
};

/** Whether visitors reach a service: it has a default distribution, and may have custom domains. */
export function isPublic(type: ServiceType): boolean {
  return type !== "worker" && type !== "scheduler" && type !== "web-private" && !isStore(type);
}

/** Whether processes of a service run in the account. */
export function hasProcess(type: ServiceType): boolean {
  return type === "web" || type === "web-private" || type === "worker";
}

/** Whether it is a data store. */
export function isStore(type: ServiceType): type is StoreType {
  return STORE_TYPES.some((one) => one === type);
}

/** Whether it is built and released from commits, unlike a host of the user's own and a data store. */
export function isReleased(type: ServiceType): boolean {
  return type !== "external" && !isStore(type);
}
