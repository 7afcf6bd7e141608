import type { Environment } from "../../projects/project.ts";

export type Target =
  | { readonly kind: "branch"; readonly branch: string; readonly environmentId: string | null }
  /** The request names no branch, and the environments follow several. */
  | { readonly kind: "ambiguous"; readonly branches: readonly string[] };

/**
 * The branch of a deployment, and its environment; see `Deployment.environmentId`.
 * @param only the environment that the request names; null: all that follow the branch
 */
export function decideTarget(
  environments: readonly Environment[],
  wantedBranch: string | null,
  only: Environment | null = null,
): Target {
  if (only !== null) return { kind: "branch", branch: wantedBranch ?? only.branch, environmentId: only.id };
  const branches = [...new Set(environments.map(({ branch }) => branch))].sort();
  const branch = wantedBranch ?? (branches.length === 1 ? branches[0] : undefined);
  if (branch === undefined) return { kind: "ambiguous", branches };
  const [first, ...others] = environments.filter((environment) => environment.branch === branch);
  return { kind: "branch", branch, environmentId: others.length === 0 ? (first?.id ?? null) : null };
}
