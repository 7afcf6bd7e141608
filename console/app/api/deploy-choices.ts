/** Lists what a project can deploy: one environment, all that follow a branch, or another branch. Pure. */
import type {
  CreateDeploymentRequest,
  DeploymentRow,
  Environment,
} from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "./deployment-rules.ts";

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

/** The branch that a choice deploys; empty if none is typed. */
export function branchOfChoice(environments: readonly DeployTarget[], choice: string, typed: string): string {
  if (choice.startsWith(ALL_OF)) return choice.slice(ALL_OF.length);
  return environments.find(({ id }) => id === choice)?.branch ?? typed.trim();
}

/** The newest commit of the branch, in place of an earlier deployment. */
export const NEWEST = "newest";

const TITLE_CHARACTERS_MAX = 60;

/** The earlier deployments whose commit can be deployed once more, each commit once, newest first. */
export function redeployChoices(rows: readonly DeploymentRow[]): readonly {
  readonly id: string;
  readonly commit: string;
  readonly words: string;
  /** Where it is released: where it was before. */
  readonly environments: string;
}[] {
  const seen = new Set<string>();
  return rows
    .filter((row) => row.endedAt !== null && !seen.has(row.commitHash) && seen.add(row.commitHash))
    .map((row) => {
      const title = titleOfCommit(row);
      const cut =
        title.length > TITLE_CHARACTERS_MAX ? `${title.slice(0, TITLE_CHARACTERS_MAX - 1)}…` : title;
      const isLive = row.environments.some((environment) => environment.isLive);
      return {
        id: row.id,
        commit: row.commit,
        words: `Redeploy ${row.commit}: ${cut}${isLive ? " (live now)" : ""}`,
        environments: row.environments.map(({ name }) => name).join(", ") || "its environments",
      };
    });
}
