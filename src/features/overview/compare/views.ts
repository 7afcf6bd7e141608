import { Type } from "typebox";
import { Id, Nullable, Text, Words } from "../../../http/schemas.ts";
import { DeploymentSchema, NOT_RESTORED, viewDeployment } from "../../deployments/views.ts";
import type { Comparison, RollbackPlan } from "./comparison.ts";
import {
  DIFFERENCES,
  type ConfigurationDifferences,
  type VariableDifferences,
} from "./decide-differences.ts";

const Names = (description: string, example: readonly string[] = []) =>
  Type.Array(Type.String(), { description, examples: [example] });

const VariableDifferencesSchema = Type.Object(
  {
    added: Names("Only in the newer one.", ["LOG_LEVEL"]),
    changed: Names("With another value, which is not shown."),
    removed: Names("Only in the older one."),
  },
  {
    title: "VariableDifferences",
    description: "Names of variables of the configuration that differ. Those of the API are not part of it.",
  },
);

const DifferenceSchema = Words(DIFFERENCES, {
  title: "ConfigurationDifference",
  description: "Whether only the newer one has it, both have it and differ, or only the older one has it.",
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
                name: Text("Shown to people.", "Web"),
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
  { title: "ConfigurationDifferences", description: "What differs between two configurations." },
);

export const DeploymentChangesSchema = Type.Object(
  {
    deploymentId: Id("depl", "The deployment."),
    comparedWith: Nullable(DeploymentSchema),
    hasSameCommit: Type.Boolean({
      description: "Whether both deploy the same commit; false without another one.",
      examples: [false],
    }),
    configuration: Nullable(ConfigurationDifferencesSchema),
  },
  {
    title: "DeploymentChanges",
    description:
      "A deployment beside an earlier one. `comparedWith` is null if none succeeded before, and `configuration` if that of one of them is not known.",
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
            description: "Whether the deployment is what runs there now.",
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
      { description: "The environments that are rolled back: those that it ran in and that still exist." },
    ),
    notRestored: Type.Array(Type.String(), {
      description: "What is not rolled back, in plain words.",
      examples: [["Custom domains and their certificates."]],
    }),
  },
  { title: "RollbackPlan", description: "What a rollback to a deployment changes, and what it does not." },
);

export function viewRollbackPlan(environments: readonly RollbackPlan[]) {
  return {
    environments: environments.map(({ changes, ...environment }) => ({
      ...environment,
      changes: changes === null ? null : viewDifferences(changes),
    })),
    notRestored: NOT_RESTORED,
  };
}

export function viewComparison({ deployment, comparedWith, configuration }: Comparison) {
  return {
    deploymentId: deployment.id,
    comparedWith: comparedWith === null ? null : viewDeployment(comparedWith),
    hasSameCommit: comparedWith?.commitHash === deployment.commitHash,
    configuration: configuration === null ? null : viewDifferences(configuration),
  };
}

function viewDifferences({ variables, environments }: ConfigurationDifferences) {
  return {
    variables: viewVariables(variables),
    environments: environments.map((environment) => ({
      ...environment,
      fields: [...environment.fields],
      variables: viewVariables(environment.variables),
      services: environment.services.map((service) => ({
        ...service,
        fields: [...service.fields],
        variables: viewVariables(service.variables),
      })),
    })),
  };
}

function viewVariables({ added, changed, removed }: VariableDifferences) {
  return { added: [...added], changed: [...changed], removed: [...removed] };
}
