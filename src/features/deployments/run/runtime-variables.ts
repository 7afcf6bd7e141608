import type { RuntimeVariable } from "../../../cloud/platform.ts";
import type { Deployment } from "../deployment.ts";
import type { EffectiveVariable } from "../../variables/effective/effective.ts";

/** What a build and its releases may know of their commit. Variables of the service take precedence. Pure. */
export function withCommit(
  variables: readonly RuntimeVariable[],
  { id, commitHash, branch }: Pick<Deployment, "id" | "commitHash" | "branch">,
  repoUrl: string,
): readonly RuntimeVariable[] {
  const own = {
    SLIPWAY_GIT_COMMIT_SHA: commitHash,
    SLIPWAY_GIT_BRANCH: branch,
    SLIPWAY_GIT_REPOSITORY: repoUrl,
    SLIPWAY_DEPLOYMENT_ID: id,
  };
  const added = Object.entries(own)
    .filter(([name]) => !variables.some((variable) => variable.name === name))
    .map(([name, value]) => ({ name, kind: "plainText", value }) as const);
  return [...added, ...variables];
}

/**
 * Effective variables in the platform's form: links as their value, managed ones as their reference.
 * Pure. `unresolved` contains the names of links that have no value yet.
 */
export function toRuntimeVariables(effective: readonly EffectiveVariable[]): {
  readonly variables: readonly RuntimeVariable[];
  readonly unresolved: readonly string[];
} {
  const variables: RuntimeVariable[] = [];
  const unresolved: string[] = [];
  for (const { variable, linkedValue } of effective) {
    const { name, kind, plainValue, reference } = variable;
    switch (kind) {
      case "plainText":
        variables.push({ name, kind, value: plainValue ?? "" });
        break;
      case "fromService":
        if (linkedValue === null) unresolved.push(name);
        else variables.push({ name, kind: "plainText", value: linkedValue });
        break;
      case "parameterStore":
      case "fromParameterStore":
        variables.push({ name, kind: "fromParameterStore", reference: reference ?? "" });
        break;
      case "secretsManager":
      case "fromSecretsManager":
        variables.push({ name, kind: "fromSecretsManager", reference: reference ?? "" });
        break;
    }
  }
  return { variables, unresolved };
}
