/**
 * What Slipway asks of a git host. The specification's three provider words are the API's;
 * `provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at a host of one's own.
 */
import { AppError, type ErrorCode, TranslatedError } from "../lib/errors.ts";

/** The API words for them. */
export const GIT_PROVIDERS = ["provider_a", "provider_b", "provider_b_self_hosted"] as const;
export type GitProvider = (typeof GIT_PROVIDERS)[number];

/** How one organization reaches a provider: its stored integration, opened. */
export type GitAccess = {
  readonly provider: GitProvider;
  /** Only with `provider_b_self_hosted`: a host name, with an optional port. */
  readonly host: string | null;
  /** The integration's token; null where the provider needs none (the sandbox's). Never logged. */
  readonly token: string | null;
};

/** A repository address, parsed once; everything below takes this and never the user's own text. */
export type Repository = {
  /** Normalized: `https`, host in lower case, no user-info, no trailing `/` or `.git`. Two addresses of one repository are equal. */
  readonly normalizedUrl: string;
  /** Lower-case host, with the port where it is not the scheme's own. */
  readonly host: string;
  /** Path without leading slash and `.git`: `owner/name`. */
  readonly path: string;
};

export type Branch = { readonly name: string; /** 40 hex digits */ readonly commit: string };

export interface Git {
  /**
   * The branches of a repository, by git's own smart-HTTP reference listing.
   * @throws GitError `REPOSITORY_NOT_FOUND`, `REPOSITORY_DENIED`, `TOKEN_REFUSED`, `HOST_REFUSED`, `HOST_UNAVAILABLE`
   */
  listBranches(access: GitAccess, repository: Repository): Promise<readonly Branch[]>;
  /**
   * A text file at a commit, at most 1 MiB; null when there is none.
   * @throws GitError as above, `FILE_TOO_LARGE`, and `REPOSITORY_TOO_LARGE` of the sandbox
   */
  readFile(access: GitAccess, repository: Repository, commit: string, path: string): Promise<string | null>;
  /** Whether the provider's user of this login may read the repository (specification, Authentication 3b). */
  userCanRead(access: GitAccess, repository: Repository, login: string): Promise<boolean>;
  /** Checks that a token works, for a new integration. @throws GitError `TOKEN_REFUSED`, `HOST_REFUSED`, `HOST_UNAVAILABLE` */
  checkToken(access: GitAccess): Promise<void>;
}

export type GitErrorCode =
  | "REPOSITORY_NOT_FOUND"
  | "REPOSITORY_DENIED"
  | "TOKEN_REFUSED"
  | "FILE_TOO_LARGE"
  | "REPOSITORY_TOO_LARGE"
  /** The address points to a place we never dial (private network, wrong scheme, wrong provider). */
  | "HOST_REFUSED"
  | "HOST_UNAVAILABLE";

const CODES: Readonly<Record<GitErrorCode, ErrorCode>> = {
  REPOSITORY_NOT_FOUND: "REPOSITORY_NOT_FOUND",
  REPOSITORY_DENIED: "REPOSITORY_DENIED",
  TOKEN_REFUSED: "GIT_TOKEN_REFUSED",
  FILE_TOO_LARGE: "CONFIG_INVALID",
  REPOSITORY_TOO_LARGE: "REPOSITORY_TOO_LARGE",
  HOST_REFUSED: "GIT_HOST_REFUSED",
  HOST_UNAVAILABLE: "GIT_HOST_UNAVAILABLE",
};

const AWAY_RETRY_SECONDS = 10;

/** A refusal or failure of a git host; the message is our own and may be shown. */
export class GitError extends TranslatedError {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  constructor(code: GitErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  override toAppError(): AppError {
    return new AppError(CODES[this.code], this.message, {
      cause: this,
      ...(this.code === "HOST_UNAVAILABLE" ? { retryAfterSeconds: AWAY_RETRY_SECONDS } : {}),
    });
  }
}
