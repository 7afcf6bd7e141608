import { Type } from "typebox";
import { At, CreatedAt, Id, Nullable, NullableInstant, Text, Words } from "../../../http/schemas.ts";
import { AwsAccountStatusSchema } from "../../cloud-accounts/views.ts";
import { DeploymentStatusSchema } from "../../deployments/run-views.ts";
import { EnvironmentSchema, ProjectSchema, viewEnvironment, viewProject } from "../../projects/views.ts";
import {
  ATTENTION_CODES,
  attentionOf,
  ENVIRONMENT_STATES,
  type EnvironmentRow,
  type LastDeployment,
  type ProjectFacts,
  stateOf,
  urlsOf,
} from "./project-row.ts";
import { shortHash } from "../../../lib/short-hash.ts";

/** More addresses are shown with the services. */
const URLS_MAX = 5;
const LastDeploymentSchema = Type.Object(
  {
    id: Id("depl", "Id of the deployment."),
    status: At(DeploymentStatusSchema, "How far it is in this environment."),
    statusReason: Nullable(Text("Explains the status in plain words, if needed.", null)),
    branch: Text("The branch that is deployed.", "main"),
    commit: Text("The first 7 digits of its commit.", "9fceb02"),
    commitMessage: Nullable(Text("The commit's message, if it is known.", "Show the price with tax")),
    commitAuthor: Nullable(Text("The name of the commit's author, if it is known.", "Ada Lovelace")),
    createdAt: CreatedAt("2026-11-20T09:52:01.000Z"),
    endedAt: NullableInstant("When it ended in this environment; null before.", "2026-11-20T09:53:40.000Z"),
  },
  { title: "LastDeployment", description: "The newest deployment of an environment." },
);

const EnvironmentRowSchema = Type.Object(
  {
    ...EnvironmentSchema.properties,
    state: Words(ENVIRONMENT_STATES, {
      title: "EnvironmentState",
      description:
        "Whether all, some or none of its services were released. It does not say whether they answer now: see the service's health.",
      examples: ["LIVE"],
    }),
    urls: Type.Array(Type.String(), {
      description: `Where its services are reached, at most ${URLS_MAX}: their domains, or else the hosts of their distributions.`,
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
        "`ACCOUNT_NOT_CONNECTED`: nothing can be deployed. `DEPLOYMENT_FAILED`: the newest one. `APPROVAL_AWAITED`: a deployment waits until a second person approves it. `DOMAINS_IN_ERROR`: could not be attached or detached. `DOMAINS_AWAIT_RECORDS`: until their DNS records are set. `REDEPLOY_PENDING`: services run without their newest variables.",
      examples: ["DOMAINS_AWAIT_RECORDS"],
    }),
    environmentId: Nullable(Id("env", "The environment; null if it is about the whole project.")),
    count: Type.Integer({ description: "Of how many domains or services it is true.", examples: [2] }),
  },
  { title: "Attention", description: "Something that a person should look at." },
);

export const ProjectRowSchema = Type.Object(
  {
    ...ProjectSchema.properties,
    awsAccount: Nullable(
      Type.Object(
        {
          id: Id("aws", "Id of the connection."),
          name: Text("Shown to people.", "Acme production"),
          status: AwsAccountStatusSchema,
        },
        { title: "AccountOfProject", description: "The cloud account connection of a project." },
      ),
    ),
    environments: Type.Array(EnvironmentRowSchema, { description: "All of its environments." }),
    attention: Type.Array(AttentionSchema, { description: "What needs attention, the most urgent first." }),
  },
  { title: "ProjectRow", description: "A project with what a list of projects shows of it." },
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
