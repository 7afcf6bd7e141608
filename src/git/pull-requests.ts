/** What Slipway needs from a git host for pull requests. GitLab calls them merge requests. */
import type { GitAccess, Repository } from "./git.ts";

/** An open pull request. */
export type PullRequest = {
  readonly number: number;
  readonly title: string;
  /** For people. */
  readonly url: string;
  /** The login of its author; null if the account was deleted. */
  readonly author: string | null;
  /** Where the commits are, and the newest: 40 hex digits. */
  readonly head: { readonly branch: string; readonly commit: string };
  /** The branch that it asks to be merged into. */
  readonly base: string;
  /** `owner/name`; null if that repository was deleted, or is hidden from the token. */
  readonly headRepository: string | null;
  /** Whether its commits are in another repository, which may be deleted. */
  readonly isFork: boolean;
  readonly labels: readonly string[];
};

export type PullRequestList = {
  readonly pullRequests: readonly PullRequest[];
  /** Identifies this answer; null if the next request must list all again. */
  readonly tag: string | null;
};

export const DEPLOYMENT_STATES = ["queued", "in_progress", "success", "failure", "inactive"] as const;

/** A deployment for people who look at a pull request or a branch at the git host. */
export type DeploymentReport = {
  /** From the last report about this commit in this environment; null for the first one. */
  readonly id: string | null;
  readonly commit: string;
  /** The branch of the commit. */
  readonly ref: string;
  /** The environment's name at the host, unique for each preview. */
  readonly environment: string;
  readonly isPreview: boolean;
  /** `inactive` ends it. GitLab then stops the environment too, so report it when a preview is deleted. */
  readonly state: (typeof DEPLOYMENT_STATES)[number];
  /** Where the deployment answers. */
  readonly url: string | null;
  /** Where people read its log. */
  readonly logUrl: string | null;
  readonly description: string;
};

/** Slipway's one comment on a pull request. */
export type CommentReport = {
  readonly number: number;
  /** From the last answer; null for the first one. */
  readonly id: string | null;
  /**
   * A text that finds the comment again and that users cannot guess, such as a preview's id: another user's comment
   * with the same text would be taken for ours. Letters, digits, `-` and `_`.
   */
  readonly marker: string;
  /** Markdown. */
  readonly text: string;
};

export type StatusReport = {
  readonly commit: string;
  /** Names the status among those of the commit, such as `slipway/production`. */
  readonly context: string;
  readonly state: "pending" | "success" | "failure";
  readonly url: string | null;
  readonly description: string;
};

/**
 * All calls may be repeated. They throw GitError as `Git.listBranches`; reports also throw `PERMISSION_MISSING` if the
 * token may not write them.
 */
export interface PullRequestHost {
  /**
   * All open pull requests, or null if nothing changed since the answer with this tag, which costs one request. Hosts
   * may be late by seconds, and a change that neither commits, state, labels nor texts show, such as a deleted fork, does
   * not change the tag: list without a tag now and then.
   */
  listPullRequests(
    access: GitAccess,
    repository: Repository,
    tag: string | null,
  ): Promise<PullRequestList | null>;
  /**
   * The paths that a pull request changes, a renamed file's earlier one too. Null if the host does not list all of
   * them, or has no such pull request.
   */
  listChangedFiles(
    access: GitAccess,
    repository: Repository,
    number: number,
  ): Promise<readonly string[] | null>;
  /** Creates or updates a deployment at the host. A deployment of another commit or environment has another id. */
  reportDeployment(
    access: GitAccess,
    repository: Repository,
    report: DeploymentReport,
  ): Promise<{ readonly id: string }>;
  /** Writes or edits the only comment. Creates a new one if the earlier one was deleted. */
  writeComment(
    access: GitAccess,
    repository: Repository,
    report: CommentReport,
  ): Promise<{ readonly id: string }>;
  /** Sets the status of a commit. */
  reportStatus(access: GitAccess, repository: Repository, report: StatusReport): Promise<void>;
}
