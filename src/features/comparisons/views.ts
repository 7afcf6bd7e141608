import { Type } from "typebox";
import { Flag, Id, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { DeploymentSchema, NOT_RESTORED, viewDeployment } from "../deployments/views.ts";
import { type Comparison, DIFFERENCES, type RollbackPlan } from "./decide-differences.ts";
import { type Drift, DRIFT_STATES, type NewestCommit } from "./decide-drift.ts";
import type { ProjectBranches, ProjectCommits } from "./repository.ts";
import { writeInstant } from "../../lib/instants.ts";

const Names = (description: string, example: readonly string[] = []) =>
  Type.Array(Type.String(), { description, examples: [example] });

const VariableDifferencesSchema = Type.Object(
  {
    added: Names("Names only in the newer configuration.", ["LOG_LEVEL"]),
    changed: Names("Names in both, with different values, which are not shown."),
    removed: Names("Names only in the older configuration."),
  },
  {
    title: "VariableDifferences",
    description: "Names of variables of the configuration that differ. Those of the API are not part of it.",
  },
);

const DifferenceSchema = Words(DIFFERENCES, {
  title: "ConfigurationDifference",
  description:
    "Whether only the newer configuration has it, both have it and differ, or only the older configuration has it.",
  examples: ["CHANGED"],
});

const ConfigurationDifferencesSchema = Type.Object(
  {
    variables: VariableDifferencesSchema,
    environments: Type.Array(
      Type.Object(
        {
          configId: Text("Its id in the configuration.", "production"),
          difference: DifferenceSchema,
          fields: Names("Its fields that differ.", ["branch"]),
          variables: VariableDifferencesSchema,
          services: Type.Array(
            Type.Object(
              {
                configId: Text("Its id in the configuration.", "web"),
                name: Text("Display name.", "Web"),
                difference: DifferenceSchema,
                fields: Names("Its fields that differ.", ["outputDirectory"]),
                variables: VariableDifferencesSchema,
              },
              { title: "ServiceDifference", description: "How a service of the configuration differs." },
            ),
            { description: "Services that differ." },
          ),
        },
        { title: "EnvironmentDifference", description: "How an environment of the configuration differs." },
      ),
      { description: "Environments that differ." },
    ),
  },
  { title: "ConfigurationDifferences", description: "The differences between two configurations." },
);

export const DeploymentChangesSchema = Type.Object(
  {
    deploymentId: Id("depl", "The deployment."),
    comparedWith: Nullable(DeploymentSchema),
    hasSameCommit: Type.Boolean({
      description: "Whether both deploy the same commit; false if there is no other deployment.",
      examples: [false],
    }),
    configuration: Nullable(ConfigurationDifferencesSchema),
  },
  {
    title: "DeploymentChanges",
    description:
      "The differences between a deployment and an earlier one. `comparedWith` is null if no earlier deployment succeeded. `configuration` is null if the configuration of one of them is not known.",
  },
);

export const RollbackPlanSchema = Type.Object(
  {
    environments: Type.Array(
      Type.Object(
        {
          id: Id("env", "The environment."),
          name: Text("Its name.", "Production"),
          isLive: Type.Boolean({
            description: "Whether the deployment is live there now.",
            examples: [false],
          }),
          changes: Nullable(ConfigurationDifferencesSchema),
        },
        {
          title: "EnvironmentRollback",
          description:
            "What a rollback changes in an environment. `changes` is null if its present configuration is not known.",
        },
      ),
      { description: "The environments that are rolled back: all that it ran in and that still exist." },
    ),
    notRestored: Type.Array(Type.String(), {
      description: "Parts that are not rolled back, in plain words.",
      examples: [["Custom domains and their certificates."]],
    }),
  },
  { title: "RollbackPlan", description: "What a rollback to a deployment changes, and what it does not." },
);

export function viewRollbackPlan(environments: readonly RollbackPlan[]) {
  return { environments: [...environments], notRestored: NOT_RESTORED };
}

export function viewComparison({ deployment, comparedWith, configuration }: Comparison) {
  return {
    deploymentId: deployment.id,
    comparedWith: comparedWith === null ? null : viewDeployment(comparedWith),
    hasSameCommit: comparedWith?.commitHash === deployment.commitHash,
    configuration,
  };
}

const StateSchema = Words(DRIFT_STATES, {
  title: "DriftState",
  description:
    "`CURRENT`: the newest commit of the branch runs, or it was deployed and changes no file that the service watches. `BEHIND`: another commit than the newest one runs. `NOT_DEPLOYED`: nothing was released yet. `UNKNOWN`: something runs, but the newest commit is not known. Of an environment: `BEHIND` if any service is, `NOT_DEPLOYED` if none was released, otherwise the state of its released services.",
  examples: ["BEHIND"],
});

const NewestSchema = Type.Object(
  {
    commit: Text("The first 7 digits of the commit.", "9fceb02"),
    commitHash: Text("The commit.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    commitMessage: Nullable(
      Text("Its message; null if the git host does not give it.", "Show the price with tax"),
    ),
    commitAuthor: Nullable(
      Text("The name of its author; null if the git host does not give it.", "Ada Lovelace"),
    ),
  },
  { title: "NewestCommit", description: "The newest commit of the branch, as the git host reports it now." },
);

const COMMIT_HASH = Text("The commit.", "9fceb02d0ae598e95dc970b74767f19372d61af8");
const PROBLEM = Nullable(Text("Why the git host's answer is missing; null if it answered.", null));

export const ProjectBranchesSchema = Type.Object(
  {
    branches: Type.Array(
      Type.Object(
        { name: Text("Its name.", "main"), commitHash: COMMIT_HASH },
        { title: "Branch", description: "A branch, and its newest commit." },
      ),
      { description: "At most 100, by name; `main` and `master` first." },
    ),
    hasMore: Flag("Whether there are more: use `search`.", false),
    problem: PROBLEM,
  },
  { title: "ProjectBranches", description: "The branches of a project's repository." },
);

export const ProjectCommitsSchema = Type.Object(
  {
    branch: Text("The branch.", "main"),
    commits: Type.Array(
      Type.Object(
        {
          commit: Text("The first 7 digits of the commit.", "9fceb02"),
          commitHash: COMMIT_HASH,
          commitMessage: Nullable(
            Text("Its message; null if the git host does not give it.", "Show the price with tax"),
          ),
          commitAuthor: Nullable(
            Text("The name of its author; null if the git host does not give it.", "Ada Lovelace"),
          ),
          committedAt: NullableInstant("When it was made.", "2026-11-20T09:30:12.000Z"),
        },
        { title: "BranchCommit", description: "A commit of a branch." },
      ),
      { description: "The newest first." },
    ),
    problem: PROBLEM,
  },
  { title: "ProjectCommits", description: "The recent commits of a branch." },
);

export function viewBranches({ branches, hasMore, problem }: ProjectBranches) {
  return { branches: branches.map(({ name, commit }) => ({ name, commitHash: commit })), hasMore, problem };
}

export function viewCommits({ branch, commits, problem }: ProjectCommits) {
  const view = ({ committedAt, ...commit }: ProjectCommits["commits"][number]) => ({
    ...viewNewest(commit),
    committedAt: committedAt === null ? null : writeInstant(committedAt),
  });
  return { branch, commits: commits.map(view), problem };
}

const ServiceDriftSchema = Type.Object(
  {
    serviceId: Id("svc", "The service."),
    name: Text("Display name.", "Website"),
    liveCommit: Nullable(
      Text(
        "The commit that runs; null if nothing was released yet.",
        "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
      ),
    ),
    state: StateSchema,
  },
  { title: "ServiceDrift", description: "The commit that runs as a service, compared with the branch." },
);

export const DriftSchema = Type.Object(
  {
    branch: Text("The branch that the environment follows.", "main"),
    newest: Nullable(NewestSchema),
    problem: Nullable(Text("Why the newest commit is not known.", null)),
    state: StateSchema,
    services: Type.Array(ServiceDriftSchema, {
      description:
        "Its services, ordered by id. External services are left out, because Slipway does not deploy them.",
    }),
  },
  {
    title: "EnvironmentDrift",
    description: "The commits that run in an environment, compared with the newest commit of its branch.",
  },
);

export function viewDrift(drift: Drift) {
  const { newest, services } = drift;
  return { ...drift, newest: newest === null ? null : viewNewest(newest), services: [...services] };
}

function viewNewest({ hash, message, author }: NewestCommit) {
  return {
    commit: shortHash(hash),
    commitHash: hash,
    commitMessage: message,
    commitAuthor: author,
  };
}
