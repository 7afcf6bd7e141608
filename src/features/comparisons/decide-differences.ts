import { changedFields } from "../../lib/changed-fields.ts";
import type {
  Configuration,
  ConfiguredEnvironment,
  ConfiguredVariables,
} from "../configuration/configuration.ts";
import type { Deployment } from "../deployments/deployment.ts";

/** The names of the variables of a configuration that differ, without their values. */
type VariableDifferences = { added: string[]; changed: string[]; removed: string[] };

export const DIFFERENCES = ["ADDED", "CHANGED", "REMOVED"] as const;

type PartDifference = {
  /** Its id in the configuration. */
  configId: string;
  difference: (typeof DIFFERENCES)[number];
  /** With `CHANGED`: the fields that differ. */
  fields: string[];
  variables: VariableDifferences;
};

export type ConfigurationDifferences = {
  variables: VariableDifferences;
  /** The environments that differ, in the order of the newer configuration; then the removed environments. */
  environments: (PartDifference & { services: (PartDifference & { name: string })[] })[];
};

/** What another configuration has that differs from an earlier one. Pure. */
export function decideDifferences(before: Configuration, after: Configuration): ConfigurationDifferences {
  return {
    variables: compareVariables(before.variables, after.variables),
    environments: pair(before.environments, after.environments).flatMap(({ id, one, other }) => {
      const [old = NO_ENVIRONMENT, now = NO_ENVIRONMENT] = [one, other];
      const fields = one === undefined || other === undefined ? [] : changedFields(facts(one), facts(other));
      const variables = compareVariables(old.variables, now.variables);
      const services = compareServices(old.services, now.services);
      const difference = differenceOf(one, other);
      if (difference === "CHANGED" && fields.length + services.length === 0 && isSame(variables)) return [];
      return [{ configId: id, difference, fields, variables, services }];
    }),
  };
}

const NO_ENVIRONMENT: Pick<ConfiguredEnvironment, "variables" | "services"> = { variables: [], services: [] };

const facts = ({ name, region, branch, trigger }: ConfiguredEnvironment) => ({
  name,
  region,
  branch,
  trigger,
});

function compareServices(
  before: ConfiguredEnvironment["services"],
  after: ConfiguredEnvironment["services"],
): ConfigurationDifferences["environments"][number]["services"] {
  return pair(before, after).flatMap(({ id, one, other }) => {
    const fields =
      one === undefined || other === undefined
        ? []
        : changedFields(
            { name: one.name, type: one.type, ...one.settings },
            { name: other.name, type: other.type, ...other.settings },
          );
    const variables = compareVariables(one?.variables ?? [], other?.variables ?? []);
    const difference = differenceOf(one, other);
    if (difference === "CHANGED" && fields.length === 0 && isSame(variables)) return [];
    return [{ configId: id, name: (other ?? one)?.name ?? id, difference, fields, variables }];
  });
}

function compareVariables(before: ConfiguredVariables, after: ConfiguredVariables): VariableDifferences {
  const old = new Map(before.map(({ name, value }) => [name, JSON.stringify(value)]));
  const now = new Map(after.map(({ name, value }) => [name, JSON.stringify(value)]));
  const names = [...now.keys()].toSorted();
  return {
    added: names.filter((name) => !old.has(name)),
    changed: names.filter((name) => old.has(name) && old.get(name) !== now.get(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)).toSorted(),
  };
}

function isSame({ added, changed, removed }: VariableDifferences): boolean {
  return added.length + changed.length + removed.length === 0;
}

function differenceOf(one: unknown, other: unknown): PartDifference["difference"] {
  if (one === undefined) return "ADDED";
  return other === undefined ? "REMOVED" : "CHANGED";
}

/** Pairs items by id: the items of the second list in its order, then the items that only the first list has. */
function pair<T extends { readonly id: string }>(first: readonly T[], second: readonly T[]) {
  const old = new Map(first.map((one) => [one.id, one]));
  const now = new Set(second.map(({ id }) => id));
  return [
    ...second.map((other) => ({ id: other.id, one: old.get(other.id), other })),
    ...first.filter(({ id }) => !now.has(id)).map((one) => ({ id: one.id, one, other: undefined })),
  ];
}

/** What a rollback changes in one environment. */
export type RollbackPlan = {
  readonly id: string;
  readonly name: string;
  /** Whether the deployment is live there now. */
  readonly isLive: boolean;
  /** From the configuration that the environment has now; null if that is not known. */
  readonly changes: ConfigurationDifferences | null;
};

/** A deployment beside an earlier one. */
export type Comparison = {
  readonly deployment: Deployment;
  /** Null if there was no successful one before. */
  readonly comparedWith: Deployment | null;
  /** Null if the configuration of one of them is not known. */
  readonly configuration: ConfigurationDifferences | null;
};
