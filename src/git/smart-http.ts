/**
 * Git's reference listing over smart HTTP, protocol 2 with a fall-back to 1, by isomorphic-git: no git binary, no
 * shell, no clone. https://git-scm.com/docs/gitprotocol-http
 */
import { buffer } from "node:stream/consumers";
import type { GitHttpRequest, GitHttpResponse } from "isomorphic-git";
import { unreadable } from "./answers.ts";
import { type Branch, type GitCredentials, GitError } from "./git.ts";
import type { HttpAnswer, HttpClient } from "./http-client.ts";

export type Remote = {
  /** The address that git itself would clone, such as `https://github.com/owner/name.git`. */
  readonly gitUrl: string;
  /** Null for an anonymous request. */
  readonly credentials: GitCredentials | null;
  /** Makes the error for an answer that is not 200. */
  readonly refusalOf: (answer: HttpAnswer) => GitError;
};

/**
 * The branches of a repository, as its host lists them now.
 * @throws GitError from `fetch` and `refusalOf`; `REPOSITORY_NOT_FOUND` if the address is not a repository;
 * `HOST_UNAVAILABLE` when the answer is damaged, because half a list would look complete
 */
export async function listBranchesAt(fetch: HttpClient, remote: Remote): Promise<readonly Branch[]> {
  const { host } = new URL(remote.gitUrl);
  const bodies: object[] = [];
  // Loaded at the first use: it is the largest of the packages.
  const { listServerRefs } = await import("isomorphic-git");
  let references;
  try {
    references = await listServerRefs({
      http: { request: (request) => exchange(fetch, remote, request, bodies) },
      url: remote.gitUrl,
      headers: authorizationOf(remote.credentials),
      prefix: "refs/heads/",
      protocolVersion: 2,
    });
  } catch (error) {
    if (error instanceof NoReferences) return [];
    // A parser's error quotes the host's answer, so it is not kept as the cause.
    if (isParserComplaint(error)) throw unreadable(host);
    throw error;
  }
  // isomorphic-git ends a list at a malformed packet as if it were complete, and only notes the error on the body.
  if (bodies.some((body) => "error" in body)) throw unreadable(host);
  const branches: Branch[] = [];
  for (const { ref, oid } of references) {
    // A host may ignore the prefix (gitprotocol-v2, ls-refs), and `HEAD` and tags are not branches.
    if (!ref.startsWith("refs/heads/")) continue;
    if (!/^[0-9a-f]{40}$/.test(oid)) throw unreadable(host);
    branches.push({ name: ref.slice("refs/heads/".length), commit: oid });
  }
  return branches;
}

/**
 * Matches the advertisement of an empty repository by a protocol 1 server without `capabilities^{}`. isomorphic-git
 * would take it for protocol 2.
 */
class NoReferences extends Error {
  override readonly name = "NoReferences";
}

/** Answers one request of isomorphic-git. @param bodies gets the body of the answer */
async function exchange(
  fetch: HttpClient,
  remote: Remote,
  request: GitHttpRequest,
  bodies: object[],
): Promise<GitHttpResponse> {
  const method = request.method === "POST" ? "POST" : "GET";
  const url = new URL(request.url);
  const answer = await fetch({
    method,
    url,
    headers: { ...request.headers, "user-agent": "git/slipway" },
    ...(request.body === undefined ? {} : { body: await buffer(request.body) }),
    expects: "listing",
  });
  if (answer.status !== 200) throw remote.refusalOf(answer);
  const type = `application/x-git-upload-pack-${method === "POST" ? "result" : "advertisement"}`;
  requireType(answer, type, url.host);
  const text = answer.body.toString("latin1");
  // Both answers end with a flush packet; without it the answer is incomplete.
  if (!text.endsWith("0000")) throw unreadable(url.host);
  if (/^001e# service=git-upload-pack\n0000(?:0000)?$/.test(text)) throw new NoReferences();
  const body = once(answer.body);
  bodies.push(body);
  const headers = { "content-type": type };
  return { url: request.url, method, statusCode: answer.status, statusMessage: "OK", headers, body };
}

/** @throws GitError `REPOSITORY_NOT_FOUND` for an answer that is none of git */
export function requireType(answer: HttpAnswer, type: string, host: string): void {
  if (answer.headers["content-type"] === type) return;
  throw new GitError(
    "REPOSITORY_NOT_FOUND",
    `${host} did not answer with git at that address, but, for example, with a web page. Check that it is the address of a repository.`,
  );
}

/** The header of a request with these credentials (RFC 7617). */
export function authorizationOf(credentials: GitCredentials | null): Record<string, string> {
  if (credentials === null) return {};
  const pair = Buffer.from(`${credentials.username}:${credentials.token}`).toString("base64");
  return { authorization: `Basic ${pair}` };
}

function isParserComplaint(error: unknown): boolean {
  return error instanceof Error && "isIsomorphicGitError" in error && error.isIsomorphicGitError === true;
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}
