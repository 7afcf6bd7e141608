/**
 * What Slipway needs from a git host. The API has three provider values: `provider_a` is GitHub, `provider_b` is
 * GitLab, and `provider_b_self_hosted` is a self-hosted GitLab.
 */
import type { Commit } from "./commit-texts.ts";
import { AppError, type DeclaredError, TranslatedError } from "../lib/errors.ts";
import { GIT_ERRORS } from "./errors.ts";
import type { CommentReport, DeploymentReport, PullRequestList, StatusReport } from "./pull-requests.ts";

/** The values of the API. */
export const GIT_PROVIDERS = ["provider_a", "provider_b", "provider_b_self_hosted"] as const;
export type GitProvider = (typeof GIT_PROVIDERS)[number];

/** The name of a provider for messages: `GitHub`, `GitLab`, or `GitLab at gitlab.example.com`. */
export function nameOfProvider({ provider, host }: Pick<GitAccess, "provider" | "host">): string {
  const name = provider === "provider_a" ? "GitHub" : "GitLab";
  return host === null ? name : `${name} at ${host}`;
}

/** How one organization reaches a provider: its stored integration, with its token opened. */
export type GitAccess = {
  readonly provider: GitProvider;
  /** Only with `provider_b_self_hosted`: a host name, with an optional port. */
  readonly host: string | null;
  /** The integration's token; null when the provider needs none, as in the sandbox. Never logged. */
  readonly token: string | null;
};

/** How git itself logs in at a host, over HTTPS. Never logged. */
export type GitCredentials = {
  /** The provider's user name for tokens. */
  readonly username: string;
  readonly token: string;
};

/** A parsed repository address. Everything below takes this, and never the user's own text. */
export type Repository = {
  /**
   * Normalized: `https`, host in lower case, no user-info, no trailing `/` or `.git`. All addresses of a repository
   * become the same text.
   */
  readonly normalizedUrl: string;
  /** Host in lower case, with the port if it is not the default one. */
  readonly host: string;
  /** Path without leading slash and `.git`: `owner/name`. */
  readonly path: string;
};

export type Branch = { readonly name: string; /** 40 hex digits */ readonly commit: string };

/** A commit in the history of a branch. */
export type LoggedCommit = Commit & {
  /** 40 hex digits */
  readonly hash: string;
  /** Null if the host does not give it. */
  readonly committedAt: Date | null;
};

/** How much of a history is read. */
export const LOGGED_COMMITS_MAX = 20;

const NAMED_BRANCHES_MAX = 10;

/** The names of a repository's branches, as the end of a message about a branch that does not exist. */
export function describeBranches(branches: readonly Branch[]): string {
  if (branches.length === 0) return "It has no branch yet: push one.";
  const named = branches.slice(0, NAMED_BRANCHES_MAX).map(({ name }) => JSON.stringify(name));
  const others = branches.length - named.length;
  return `It has ${named.join(", ")}${others === 0 ? "" : ` and ${others} more`}. Push the branch, or name another.`;
}

/**
 * The newest commit of a branch.
 * @param source completes the refusal's "The repository has no branch …"
 * @throws AppError `BRANCH_NOT_FOUND`
 */
export function requireBranch(branches: readonly Branch[], branch: string, source = ""): string {
  const found = branches.find(({ name }) => name === branch);
  if (found !== undefined) return found.commit;
  throw new AppError(
    GIT_ERRORS.BRANCH_NOT_FOUND,
    `The repository has no branch ${JSON.stringify(branch)}${source}. ${describeBranches(branches)}`,
  );
}

/** A repository that a token reaches, as its host describes it. */
export type ReachedRepository = {
  /** Normalized, as of `Repository`. */
  readonly url: string;
  /** Its path at the host: `owner/name`. */
  readonly name: string;
  /** Null while it has no branch. */
  readonly defaultBranch: string | null;
  readonly isPrivate: boolean;
  /** When it was last pushed to; at GitLab, when anything last happened in it. Null if the host does not say. */
  readonly lastPushedAt: Date | null;
};

/** How many repositories we request from a host at once: the maximum of GitHub and GitLab. */
export const REPOSITORIES_AT_ONCE = 100;

/** By creation (in the sandbox, which does not know it, by name), or by the last push. */
export const REPOSITORY_SORTS = ["created", "pushed"] as const;
export type RepositorySort = (typeof REPOSITORY_SORTS)[number];

/** The hosts count their pages from 1. */
export type RepositoryPage = {
  readonly number: number;
  readonly order: "asc" | "desc";
  readonly sort: RepositorySort;
};

/** A file or a folder of a folder. Links and submodules are left out. */
export type FolderEntry = { readonly name: string; readonly kind: "file" | "folder" };

/**
 * Whether a path can name a file in a git tree: relative, without empty, `.` or `..` segments, control characters or
 * backslashes. No file has any other path, so we do not ask the host, which might interpret the path differently.
 */
export function isTreePath(path: string): boolean {
  if (path.length > 4096 || !path.isWellFormed() || /[\p{Cc}\\]/u.test(path)) return false;
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/**
 * All calls may be repeated. They throw GitError as `Git.listBranches`, and `PERMISSION_MISSING` if the token may not
 * read pull requests or write reports. Reports also throw `REPORT_IMPOSSIBLE`.
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
  /**
   * Creates or updates a deployment at the host. A deployment of another commit or environment has another id. Null if
   * there is none to be ended.
   */
  reportDeployment(
    access: GitAccess,
    repository: Repository,
    report: DeploymentReport,
  ): Promise<{ readonly id: string | null }>;
  /** Writes or edits the only comment. Creates a new one if the earlier one was deleted. */
  writeComment(
    access: GitAccess,
    repository: Repository,
    report: CommentReport,
  ): Promise<{ readonly id: string }>;
  /** Sets the status of a commit. */
  reportStatus(access: GitAccess, repository: Repository, report: StatusReport): Promise<void>;
}

export interface Git extends PullRequestHost {
  /**
   * How git itself logs in to fetch a repository; null if it needs no login. Asks no host.
   * @throws GitError `HOST_REFUSED` for a repository of another host, `TOKEN_REFUSED`, `REPOSITORY_NOT_FOUND`
   */
  credentialsFor(access: GitAccess, repository: Repository): GitCredentials | null;
  /**
   * The branches of a repository, from git's smart-HTTP reference listing.
   * @throws GitError `REPOSITORY_NOT_FOUND`, `REPOSITORY_DENIED`, `TOKEN_REFUSED`, `HOST_REFUSED`, `HOST_UNAVAILABLE`
   */
  listBranches(access: GitAccess, repository: Repository): Promise<readonly Branch[]>;
  /**
   * A text file at a commit, at most 1 MiB; null when it does not exist.
   * @throws GitError as above, `FILE_TOO_LARGE`, and in the sandbox `REPOSITORY_TOO_LARGE` and `CHECKOUT_REFUSED`
   */
  readFile(access: GitAccess, repository: Repository, commit: string, path: string): Promise<string | null>;
  /**
   * The entries of a folder at a commit, or of the root for an empty path: up to 1,000 at GitHub, 500 at GitLab. Null when
   * there is no such folder.
   * @throws GitError as `readFile`
   */
  listFolder(
    access: GitAccess,
    repository: Repository,
    commit: string,
    path: string,
  ): Promise<readonly FolderEntry[] | null>;
  /**
   * The message and the author's name of a commit; null if the host does not have the commit.
   * @throws GitError as `listBranches`
   */
  readCommit(access: GitAccess, repository: Repository, commit: string): Promise<Commit | null>;
  /**
   * The last commits before and including a commit, the newest first, at most `LOGGED_COMMITS_MAX`; empty if the host
   * does not have the commit.
   * @throws GitError as `listBranches`
   */
  listCommits(access: GitAccess, repository: Repository, commit: string): Promise<readonly LoggedCommit[]>;
  /**
   * The paths that differ between a commit and a later one, a renamed file's earlier one too. Null if the host does not
   * list all of them, or the first commit is not in the history of the other, as after a forced push.
   * @throws GitError as `listBranches`
   */
  listChangesBetween(
    access: GitAccess,
    repository: Repository,
    from: string,
    to: string,
  ): Promise<readonly string[] | null>;
  /** Whether the provider's user with this login may read the repository (specification, Authentication 3b). */
  userCanRead(access: GitAccess, repository: Repository, login: string): Promise<boolean>;
  /** Checks that the host accepts a token. @throws GitError `TOKEN_REFUSED`, `HOST_REFUSED`, `HOST_UNAVAILABLE` */
  checkToken(access: GitAccess): Promise<void>;
  /**
   * One page of the repositories that the token reaches.
   * @throws GitError as `checkToken`
   */
  listRepositories(
    access: GitAccess,
    page: RepositoryPage,
  ): Promise<{ readonly repositories: readonly ReachedRepository[]; readonly hasMore: boolean }>;
}

export type GitErrorCode =
  | "REPOSITORY_NOT_FOUND"
  | "REPOSITORY_DENIED"
  | "TOKEN_REFUSED"
  /** The token may read the repository, but not its pull requests, or not write reports to it. */
  | "PERMISSION_MISSING"
  /** The pull request or the commit no longer exists, or the host refuses the report itself: never send it again. */
  | "REPORT_IMPOSSIBLE"
  | "FILE_TOO_LARGE"
  | "REPOSITORY_TOO_LARGE"
  /** An object of the commit is damaged. */
  | "CHECKOUT_REFUSED"
  /** We never dial this address (private network, wrong scheme, wrong provider). */
  | "HOST_REFUSED"
  | "HOST_UNAVAILABLE";

const DECLARATIONS: Readonly<Record<GitErrorCode, DeclaredError>> = {
  REPOSITORY_NOT_FOUND: GIT_ERRORS.REPOSITORY_NOT_FOUND,
  REPOSITORY_DENIED: GIT_ERRORS.REPOSITORY_DENIED,
  TOKEN_REFUSED: GIT_ERRORS.GIT_TOKEN_REFUSED,
  PERMISSION_MISSING: GIT_ERRORS.GIT_TOKEN_REFUSED,
  REPORT_IMPOSSIBLE: GIT_ERRORS.GIT_HOST_REFUSED,
  FILE_TOO_LARGE: GIT_ERRORS.CONFIG_INVALID,
  REPOSITORY_TOO_LARGE: GIT_ERRORS.REPOSITORY_TOO_LARGE,
  CHECKOUT_REFUSED: GIT_ERRORS.CHECKOUT_REFUSED,
  HOST_REFUSED: GIT_ERRORS.GIT_HOST_REFUSED,
  HOST_UNAVAILABLE: GIT_ERRORS.GIT_HOST_UNAVAILABLE,
};

const AWAY_RETRY_SECONDS = 10;

/** A refusal or failure of a git host. The message is our own and may be shown. */
export class GitError extends TranslatedError {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  /** How long the host asks to wait; null if it does not say. */
  readonly retryAfterSeconds: number | null;
  constructor(
    code: GitErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }

  override toAppError(): AppError {
    return new AppError(DECLARATIONS[this.code], this.message, {
      cause: this,
      ...(this.code === "HOST_UNAVAILABLE"
        ? { retryAfterSeconds: this.retryAfterSeconds ?? AWAY_RETRY_SECONDS }
        : {}),
    });
  }
}
