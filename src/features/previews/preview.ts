/**
 * A preview: an environment of its own for a pull request, or for a key that a client names.
 *
 *   WAITING_FOR_APPROVAL  a member has to approve the commit, which comes from another repository
 *   WAITING_FOR_CAPACITY  the template has as many previews as it may have
 *   ACTIVE                it has an environment, whose deployments say the rest
 *   SLEEPING              likewise, but it got no request for a while: its processes are stopped until the next one
 *   ENDED                 it expired or was deleted; the next commit begins again
 *   DELETING              what it has in the cloud is being removed; then there is no preview, or it is ENDED
 *
 * `decide-preview.ts` says which of them follows from the pull request. An approval counts for one commit.
 */
import type { PullRequest } from "../../git/pull-requests.ts";
import type { Deployers, Environment } from "../projects/project.ts";
import type { CleanupProblem } from "./preview-removal.ts";

export type { PullRequest } from "../../git/pull-requests.ts";

export const PREVIEW_STATES = [
  "WAITING_FOR_APPROVAL",
  "WAITING_FOR_CAPACITY",
  "ACTIVE",
  "SLEEPING",
  "ENDED",
  "DELETING",
] as const;
export type PreviewState = (typeof PREVIEW_STATES)[number];

export type Preview = {
  readonly organizationId: string;
  readonly id: string;
  readonly projectId: string;
  /** The environment that it is made from. It may be gone while the preview is being deleted. */
  readonly templateId: string;
  /** Null while it has none. */
  readonly environmentId: string | null;
  /** `pr-12` for a pull request; otherwise as the client named it. Unique for its template. */
  readonly key: string;
  /** As the git host described it when it was open; null if a client asked for the preview. */
  readonly pullRequest: PullRequest | null;
  readonly branch: string;
  /** The commit that it is to show. */
  readonly commitHash: string;
  /** The commit that was last deployed to its environment; null before that. */
  readonly deployedCommit: string | null;
  readonly isFork: boolean;
  readonly state: PreviewState;
  /** Null unless it is `SLEEPING`. */
  readonly sleepingSince: Date | null;
  /** A sentence for users; null if the state says all. */
  readonly reason: string | null;
  /** While it is being deleted: it stays as `ENDED`, because its pull request may still be open. */
  readonly staysEnded: boolean;
  /** What keeps it from being deleted; null if nothing does. */
  readonly problem: CleanupProblem | null;
  readonly approvedCommit: string | null;
  readonly approvedBy: string | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A read of a project's pull requests. */
export type PullRequestRead = {
  readonly tag: string | null;
  /** The rules of the templates for which all were listed. */
  readonly rules: string | null;
  readonly listedAt: Date | null;
  /** Why the host could not be read last time; null if it could. */
  readonly error: { readonly code: string; readonly message: string; readonly action: string } | null;
};

/** Before the first one. */
export const NO_READ: PullRequestRead = { tag: null, rules: null, listedAt: null, error: null };

/** Keys of pull requests; clients cannot use them. */
export function keyOfPullRequest(number: number): string {
  return `pr-${number}`;
}

/** The lowest role that approves the commits of another repository. Pure. @param template null if it was deleted */
export function approverOf(template: Pick<Environment, "deployers" | "approvers"> | null): Deployers {
  return template?.deployers === "admin" ? "admin" : (template?.approvers ?? "developer");
}
