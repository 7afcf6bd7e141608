import { matchesGlob } from "../../lib/matches-glob.ts";
import type { PreviewRules } from "../projects/project.ts";
import type { Preview, PullRequest } from "./preview.ts";

export type Facts = {
  /** Null if the template was deleted, or makes no previews any longer. */
  readonly rules: PreviewRules | null;
  /** Null if it is no longer open. */
  readonly pullRequest: PullRequest | null;
  /** The files that it changes; null if they are not known: then they match. */
  readonly changedFiles: readonly string[] | null;
  readonly preview: Preview | null;
  /** How many other previews of the template have an environment that is not being removed. */
  readonly others: number;
  readonly now: Date;
};

export type PreviewStep =
  | { readonly kind: "none" }
  /** Makes the environment if there is none, and deploys the pull request's commit there. */
  | { readonly kind: "deploy" }
  /** Makes the preview, or notes the newer commit. What runs in its environment stays. */
  | { readonly kind: "wait"; readonly for: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" }
  /** With `staysEnded`, until the next commit. `replace`: until it is decided on again, which makes it anew. */
  | {
      readonly kind: "remove" | "replace";
      readonly reason: string | null;
      readonly staysEnded: boolean;
    };

/** What follows for a pull request and a template, from what is there. Pure. */
export function decidePreview({
  rules,
  pullRequest,
  changedFiles,
  preview,
  others,
  now,
}: Facts): PreviewStep {
  // A client deleted it, maybe since the pull requests were read: only a client's request makes it again.
  if (preview?.state === "DELETING" && preview.pullRequest === null) return { kind: "none" };
  const isDesired = rules !== null && pullRequest !== null && matches(rules, pullRequest, changedFiles);
  if (!isDesired) {
    if (preview === null || (preview.state === "DELETING" && !preview.staysEnded)) return { kind: "none" };
    return { kind: "remove", reason: null, staysEnded: false };
  }
  const { commit } = pullRequest.head;
  const isRemoved = preview?.state === "DELETING";
  // Secrets and data that the environment has are not for the other kind. The number is of another repository by now.
  if (preview !== null && preview.environmentId !== null && preview.isFork !== pullRequest.isFork) {
    if (!isRemoved) return { kind: "replace", reason: null, staysEnded: false };
    if (preview.problem !== null) return { kind: "none" };
  }
  // The removal of an earlier environment does not delay the next one.
  const isNew = preview?.commitHash !== commit || (isRemoved && !preview.staysEnded);
  if (preview !== null && !isNew) {
    if (preview.state === "ENDED" || isRemoved) return { kind: "none" };
    if (preview.expiresAt <= now) return { kind: "remove", reason: EXPIRED, staysEnded: true };
    if (preview.deployedCommit === commit) return { kind: "none" };
  }
  if (pullRequest.isFork && preview?.approvedCommit !== commit)
    return isNew || preview.state !== "WAITING_FOR_APPROVAL"
      ? { kind: "wait", for: "WAITING_FOR_APPROVAL" }
      : { kind: "none" };
  if (((preview?.environmentId ?? null) === null || isRemoved) && others >= rules.max)
    return isNew || preview.state !== "WAITING_FOR_CAPACITY"
      ? { kind: "wait", for: "WAITING_FOR_CAPACITY" }
      : { kind: "none" };
  return { kind: "deploy" };
}

const EXPIRED = "It reached its lifetime. The next commit creates it again.";

/** Whether the template wants a pull request, before its files are known. Pure. */
export function matchesBranches(rules: PreviewRules, { labels, base, head }: PullRequest): boolean {
  return (
    (rules.labels.length === 0 || rules.labels.some((label) => labels.includes(label))) &&
    rules.toBranches.some((pattern) => matchesGlob(base, pattern)) &&
    (rules.fromBranches.length === 0 ||
      rules.fromBranches.some((pattern) => matchesGlob(head.branch, pattern)))
  );
}

function matches(
  rules: PreviewRules,
  pullRequest: PullRequest,
  changedFiles: readonly string[] | null,
): boolean {
  if (!matchesBranches(rules, pullRequest)) return false;
  if (rules.watchPaths.length === 0 || changedFiles === null) return true;
  return changedFiles.some((file) => rules.watchPaths.some((pattern) => matchesGlob(file, pattern)));
}
