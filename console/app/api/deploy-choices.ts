/** Lists what a project can deploy: one environment, all that follow a branch, or another branch. Pure. */
import type { CreateDeploymentRequest, Environment } from "../../../sdk/src/generated/types.ts";

export type DeployTarget = { readonly id: string; readonly name: string; readonly branch: string };

export function targetOf({ id, name, source }: Pick<Environment, "id" | "name" | "source">): DeployTarget {
  return { id, name, branch: source.branch };
}

export const ANOTHER_BRANCH = "another";
const ALL_OF = "branch:";

/** Pairs of a value and its words: each environment, and each branch that several follow. */
export function deployChoices(environments: readonly DeployTarget[]): readonly (readonly [string, string])[] {
  const byBranch = Map.groupBy(environments, ({ branch }) => branch);
  return [
    ...environments.map(({ id, name, branch }) => [id, `${name}, from ${branch}`] as const),
    ...[...byBranch]
      .filter(([, followers]) => followers.length > 1)
      .map(
        ([branch, followers]) =>
          [
            `${ALL_OF}${branch}`,
            `All that follow ${branch}: ${followers.map(({ name }) => name).join(", ")}`,
          ] as const,
      ),
  ];
}

/** @param choice a value of `deployChoices`, or `ANOTHER_BRANCH` with the typed branch */
export function requestOfChoice(
  projectId: string,
  choice: string,
  typed: string,
): Pick<CreateDeploymentRequest, "branch" | "filter"> {
  if (choice === ANOTHER_BRANCH) {
    const branch = typed.trim();
    return { filter: { projectId }, ...(branch === "" ? {} : { branch }) };
  }
  if (choice.startsWith(ALL_OF)) return { filter: { projectId }, branch: choice.slice(ALL_OF.length) };
  return { filter: { projectId, environmentId: choice } };
}
