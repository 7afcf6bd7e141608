import { Type } from "typebox";
import { At, CreatedAt, Id, Nullable, NullableInstant, Text, UpdatedAt, Words } from "../../http/schemas.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { AwsAccountStatusSchema } from "../cloud-accounts/views.ts";
import { DOMAIN_NAME, DomainStatusSchema, DomainTypeSchema } from "../custom-domains/domain-views.ts";
import type { DnsRecord, Domain } from "../custom-domains/custom-domain.ts";
import { nextCheckAt } from "../custom-domains/records/check-times.ts";
import { progressOf, WAITED_FOR } from "../custom-domains/records/progress.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { DeploymentStatusSchema } from "../deployments/views.ts";
import { DeploymentSchema, viewDeployment } from "../deployments/views.ts";
import {
  EnvironmentSchema,
  ProjectSchema,
  ServiceSchema,
  viewEnvironment,
  viewProject,
} from "../projects/views.ts";
import {
  ATTENTION_CODES,
  attentionOf,
  type DeploymentFacts,
  type DomainFacts,
  ENVIRONMENT_STATES,
  type EnvironmentRow,
  type LastDeployment,
  type ProjectFacts,
  stateOf,
  urlsOf,
} from "./row.ts";

/** More addresses are shown with the services. */
const URLS_MAX = 5;
const LastDeploymentSchema = Type.Object(
  {
    id: Id("depl", "Id of the deployment."),
    status: At(DeploymentStatusSchema, "Its status in this environment."),
    statusReason: Nullable(Text("Explains the status in plain words, if needed.", null)),
    branch: Text("The branch that is deployed.", "main"),
    commit: Text("The first 7 digits of its commit.", "9fceb02"),
    commitMessage: Nullable(Text("The commit's message, if it is known.", "Show the price with tax")),
    commitAuthor: Nullable(Text("The name of the commit's author, if it is known.", "Ada Lovelace")),
    createdAt: CreatedAt("2026-11-20T09:52:01.000Z"),
    endedAt: NullableInstant(
      "When it ended in this environment; null until then.",
      "2026-11-20T09:53:40.000Z",
    ),
  },
  { title: "LastDeployment", description: "The newest deployment of an environment." },
);

const EnvironmentRowSchema = Type.Object(
  {
    ...EnvironmentSchema.properties,
    state: Words(ENVIRONMENT_STATES, {
      title: "EnvironmentState",
      description:
        "Whether all, some or none of its services were released. For whether they answer now, see the health of each service.",
      examples: ["LIVE"],
    }),
    urls: Type.Array(Type.String(), {
      description: `The addresses of its services, at most ${URLS_MAX}: their domains, otherwise the hosts of their distributions.`,
      examples: [["https://www.example.com"]],
    }),
    lastDeployment: Nullable(LastDeploymentSchema),
  },
  { title: "EnvironmentRow", description: "An environment in the list of projects." },
);

const AttentionSchema = Type.Object(
  {
    code: Words(ATTENTION_CODES, {
      title: "AttentionCode",
      description:
        "`ACCOUNT_NOT_CONNECTED`: nothing can be deployed. `DEPLOYMENT_FAILED`: the newest deployment failed. `APPROVAL_AWAITED`: a deployment waits until a second person approves it. `FORK_AWAITS_APPROVAL`: commits of pull requests from other repositories wait until a member approves them. `DOMAINS_IN_ERROR`: domains could not be attached or detached. `DOMAINS_AWAIT_RECORDS`: domains wait until their DNS records are set. `REDEPLOY_PENDING`: services run without their newest variables.",
      examples: ["DOMAINS_AWAIT_RECORDS"],
    }),
    environmentId: Nullable(Id("env", "The environment; null if it is about the whole project.")),
    count: Type.Integer({ description: "The number of domains, services or deployments.", examples: [2] }),
  },
  { title: "Attention", description: "Something that a person should check." },
);

export const ProjectRowSchema = Type.Object(
  {
    ...ProjectSchema.properties,
    awsAccount: Nullable(
      Type.Object(
        {
          id: Id("aws", "Id of the connection."),
          name: Text("Display name.", "Acme production"),
          status: AwsAccountStatusSchema,
        },
        { title: "AccountOfProject", description: "The cloud account connection of a project." },
      ),
    ),
    environments: Type.Array(EnvironmentRowSchema, { description: "All of its environments." }),
    attention: Type.Array(AttentionSchema, { description: "What needs attention, the most urgent first." }),
  },
  { title: "ProjectRow", description: "A project with the fields that a list of projects shows." },
);

export function viewProjectRow(row: ProjectFacts) {
  return {
    ...viewProject(row.project),
    awsAccount: row.account,
    environments: row.environments.map(viewEnvironmentRow),
    attention: [...attentionOf(row)],
  };
}

function viewEnvironmentRow(row: EnvironmentRow) {
  return {
    ...viewEnvironment(row.environment),
    state: stateOf(row),
    urls: row.services.flatMap(urlsOf).slice(0, URLS_MAX),
    lastDeployment: row.lastDeployment === null ? null : viewLast(row.lastDeployment),
  };
}

function viewLast({ commitHash, createdAt, endedAt, ...last }: LastDeployment) {
  return {
    ...last,
    commit: shortHash(commitHash),
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

export const DeploymentRowSchema = Type.Object(
  {
    ...DeploymentSchema.properties,
    projectName: Text("The project's name.", "Shop"),
    startedByName: Nullable(
      Text(
        "The name of the user who started it; null after a push, and if the user was deleted.",
        "Ada Lovelace",
      ),
    ),
    environments: Type.Array(
      Type.Object(
        {
          id: Id("env", "Id of the environment."),
          name: Text("Its name, or its id in the configuration if it was deleted.", "Production"),
          status: DeploymentStatusSchema,
          isLive: Type.Boolean({
            description: "Whether this deployment is live there now.",
            examples: [true],
          }),
        },
        { title: "EnvironmentOfDeployment", description: "The progress of a deployment in an environment." },
      ),
      { description: "The environments that it runs in; empty until they are known." },
    ),
  },
  { title: "DeploymentRow", description: "A deployment with the fields that a list of deployments shows." },
);

export function viewDeploymentRow(deployment: Deployment, facts: DeploymentFacts) {
  const { environmentId, status } = deployment;
  const { environmentName, environments } = facts;
  const target =
    environmentId === null || environmentName === null
      ? []
      : [{ id: environmentId, name: environmentName, status, isLive: false }];
  return {
    ...viewDeployment(deployment),
    projectName: facts.projectName,
    startedByName: facts.startedByName,
    environments: environments.length > 0 ? [...environments] : target,
  };
}

export const DomainRowSchema = Type.Object(
  {
    id: Id("dom", "Id of the domain."),
    name: DOMAIN_NAME,
    status: DomainStatusSchema,
    type: DomainTypeSchema,
    domainCertificateGroupId: Id("group", "The domain certificate group of the domain."),
    serviceId: Id("svc", "The service that it leads to."),
    serviceName: Text("The service's name.", "Website"),
    environmentId: Id("env", "The service's environment."),
    environmentName: Text("The environment's name.", "Production"),
    projectId: Id("proj", "The service's project."),
    projectName: Text("The project's name.", "Shop"),
    certificateExpiresAt: NullableInstant(
      "When its certificate expires, if it is not renewed before; null until one is issued.",
      "2027-12-20T23:59:59.000Z",
    ),
    waitsFor: At(
      Nullable(
        Words(WAITED_FOR, {
          title: "WaitedFor",
          description:
            "The party that acts next: the `CUSTOMER`, who sets a record or solves the `problem`, or `SLIPWAY`.",
          examples: ["CUSTOMER"],
        }),
      ),
      "The party that acts next; null if no action is needed.",
      null,
    ),
    problem: Nullable(Text("The problem that the customer has to solve.", null)),
    nextCheckAt: NullableInstant(
      "When one of its DNS records is checked next; null if it has none.",
      "2026-11-20T10:41:55.000Z",
    ),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "DomainRow", description: "A domain with the fields that a list of domains shows." },
);

export function viewDomainRow(
  domain: Domain & { readonly records: readonly DnsRecord[] },
  facts: DomainFacts,
  now: Date,
) {
  const { id, name, status, type, groupId } = domain;
  return {
    ...facts,
    id,
    name,
    status,
    type,
    domainCertificateGroupId: groupId,
    certificateExpiresAt: facts.certificateExpiresAt?.toISOString() ?? null,
    ...progressOf(domain, domain.records),
    nextCheckAt: nextCheckAt(domain.records, now)?.toISOString() ?? null,
    createdAt: domain.createdAt.toISOString(),
    updatedAt: domain.updatedAt.toISOString(),
  };
}

export const PlaceSchema = Type.Object(
  {
    project: ProjectSchema,
    environment: Nullable(EnvironmentSchema),
    service: Nullable(ServiceSchema),
  },
  {
    title: "Place",
    description:
      "The resources that contain a resource, and the resource itself if it is a service or an environment. An environment is in no service, and a deployment may run in several environments.",
  },
);
