/** How git hosts are asked: the requests of `egress`, with what their failures mean for a git host. */
import type { EgressAnswer, EgressRequest } from "../egress/http-exchange.ts";
import { EgressError, type EgressFault } from "../egress/egress-error.ts";
import { type SafeFetchOptions, createSafeFetch } from "../egress/safe-fetch.ts";
import { GitError, type GitErrorCode } from "./git.ts";

export type HttpRequest = Omit<EgressRequest, "bodyLimit"> & {
  /** A user's file has a smaller limit, and its own refusal. */
  readonly expects: "listing" | "file";
};

export type HttpAnswer = Pick<EgressAnswer, "status" | "headers" | "body">;

/** Returns answers of any status but a redirect's. @throws GitError `HOST_REFUSED`, `HOST_UNAVAILABLE`, `FILE_TOO_LARGE` */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

/** The contract's limit for `Git.readFile`. */
export const FILE_BYTES_MAX = 1024 * 1024;
/** A reference is about 60 bytes, so this is some 250,000 branches. A larger answer is not one to our question. */
const LISTING_BYTES_MAX = 16 * 1024 * 1024;

/** Makes the client for git hosts that users name. */
export function makeGuardedClient(options: SafeFetchOptions): HttpClient {
  return makeHttpClient(createSafeFetch(options).send);
}

/** Makes the client that asks through `send`. */
export function makeHttpClient(send: (request: EgressRequest) => Promise<EgressAnswer>): HttpClient {
  return async ({ expects, ...request }) => {
    const isFile = (status: number): boolean => expects === "file" && status === 200;
    const bytesOf = (status: number): number => (isFile(status) ? FILE_BYTES_MAX : LISTING_BYTES_MAX);
    try {
      return await send({ ...request, bodyLimit: { bytesOf, ifLarger: "refuse" } });
    } catch (error) {
      throw error instanceof EgressError ? toGitError(error, expects) : error;
    }
  };
}

const REFUSED: readonly EgressFault[] = ["SCHEME_REFUSED", "ADDRESS_REFUSED", "REDIRECTED"];

/** What a failed request means for a git host. */
export function toGitError(error: EgressError, expects: HttpRequest["expects"]): GitError {
  // Only a file is so small that it is the user's to make it smaller.
  if (error.fault === "ANSWER_TOO_LARGE" && expects === "file")
    return new GitError("FILE_TOO_LARGE", "The file is larger than 1 MiB.");
  const code: GitErrorCode = REFUSED.includes(error.fault) ? "HOST_REFUSED" : "HOST_UNAVAILABLE";
  const moved =
    error.fault === "REDIRECTED" ? " If the repository or the host has moved, use its new address." : "";
  return new GitError(code, `${error.message}${moved}`, { cause: error.cause });
}
