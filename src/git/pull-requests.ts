/** What Slipway needs from a git host for pull requests. GitLab calls them merge requests. */
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
  /** Identifies this answer. */
  readonly tag: string;
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
  /**
   * `inactive` ends it: report it of a preview's earlier commits, and of the last one when the preview is deleted. GitLab
   * stops the environment when its newest deployment ends.
   */
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

export const STATUS_STATES = ["pending", "success", "failure"] as const;

export type StatusReport = {
  readonly commit: string;
  /** Names the status among those of the commit, such as `slipway/production`. */
  readonly context: string;
  readonly state: (typeof STATUS_STATES)[number];
  readonly url: string | null;
  readonly description: string;
};
