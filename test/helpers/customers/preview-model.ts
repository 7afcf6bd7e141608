/** What the previews of pull requests must be, from what happened to the pull requests. Pure. */
import type { ShownPreview } from "./previews.ts";

export type ModelPullRequest = {
  readonly number: number;
  readonly head: string;
  /** Null: a branch of the project's own repository. */
  readonly fork: string | null;
  readonly labels: readonly string[];
  readonly isOpen: boolean;
  readonly commit: string;
  /** The commit that was approved last. */
  readonly approved: string | null;
  /** The commits at which users deleted its previews, by template. */
  readonly deleted: Readonly<Record<string, string>>;
  /**
   * Since its last commit it was closed, or lost the label. If Slipway saw that, a deletion or an approval no longer
   * counts; if not, it does.
   */
  readonly hasWavered: boolean;
};

export type ModelTemplate = { readonly configId: string; readonly label: string; readonly max: number };

/** The differences between the previews of a template and what they must be. */
export function findDifferences(
  { configId, label, max }: ModelTemplate,
  pullRequests: readonly ModelPullRequest[],
  keys: ReadonlyMap<string, string>,
  previews: readonly ShownPreview[],
): readonly string[] {
  const differences: string[] = [];
  const wanted = new Map<string, { readonly states: readonly string[]; readonly commit: string }>();
  for (const pullRequest of pullRequests) {
    if (!pullRequest.isOpen || !pullRequest.labels.includes(label)) continue;
    const states = statesOf(pullRequest, configId);
    wanted.set(`pr-${pullRequest.number}`, { states, commit: pullRequest.commit });
  }
  for (const [key, commit] of keys) wanted.set(key, { states: MADE, commit });
  for (const { key, state, commitHash, deployedCommitHash } of previews) {
    const expected = wanted.get(key);
    if (expected === undefined) differences.push(`${key} is ${state}, and not wanted`);
    else if (!expected.states.includes(state))
      differences.push(`${key} is ${state} instead of ${expected.states.join(" or ")}`);
    else if (commitHash !== expected.commit)
      differences.push(`${key} is at ${commitHash} instead of ${expected.commit}`);
    else if (state === "ACTIVE" && deployedCommitHash !== expected.commit)
      differences.push(`${key} shows ${deployedCommitHash} instead of ${expected.commit}`);
    wanted.delete(key);
  }
  for (const key of wanted.keys()) differences.push(`${key} has no preview`);
  const count = (state: string) => previews.filter((one) => one.state === state).length;
  if (count("WAITING_FOR_CAPACITY") > 0 && count("ACTIVE") < max)
    differences.push(`${count("ACTIVE")} of ${max} previews are active, and others wait`);
  return differences.map((difference) => `${configId}: ${difference}`);
}

const MADE = ["ACTIVE", "WAITING_FOR_CAPACITY"];

function statesOf(
  { fork, commit, approved, deleted, hasWavered }: ModelPullRequest,
  configId: string,
): readonly string[] {
  const isApproved = approved === commit;
  const begun = fork === null || isApproved ? MADE : [];
  const waiting = fork !== null && (!isApproved || hasWavered) ? ["WAITING_FOR_APPROVAL"] : [];
  if (deleted[configId] !== commit) return [...begun, ...waiting];
  // The deletion voids the approval.
  return hasWavered ? ["ENDED", ...begun, ...waiting] : ["ENDED"];
}
