/** What must be known of a repository before system git fetches from it: git itself knows no address rules. */
import { EgressError } from "../egress/egress-error.ts";
import type { SafeFetch } from "../egress/safe-fetch.ts";
import { repositoryRefusal } from "./answers.ts";
import type { GitCredentials } from "./git.ts";
import { makeHttpClient, toGitError } from "./http-client.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { authorizationOf, requireType } from "./smart-http.ts";

export type CheckedRemote = {
  /** The address for git. */
  readonly gitUrl: string;
  /** Of the host. All were checked, and git must dial no others. */
  readonly addresses: readonly string[];
};

/**
 * Asks a git host whether a repository may be fetched with these credentials, by the first request that git sends too
 * (gitprotocol-http, "Discovering References"), with protocol 2.
 * @throws GitError `REPOSITORY_NOT_FOUND`, `REPOSITORY_DENIED`, `TOKEN_REFUSED`, `HOST_REFUSED`, `HOST_UNAVAILABLE`;
 * RepositoryUrlError
 */
export async function checkRemote(
  guarded: SafeFetch,
  repoUrl: string,
  credentials: GitCredentials | null,
): Promise<CheckedRemote> {
  const repository = parseRepositoryUrl(repoUrl);
  const gitUrl = `${repository.normalizedUrl}.git`;
  const url = new URL(`${gitUrl}/info/refs?service=git-upload-pack`);
  const found = await guarded.check(url).catch((error: unknown) => {
    throw error instanceof EgressError ? toGitError(error, "listing") : error;
  });
  const answer = await makeHttpClient(guarded.send)({
    method: "GET",
    url,
    headers: { ...authorizationOf(credentials), "git-protocol": "version=2", "user-agent": "git/slipway" },
    expects: "listing",
  });
  if (answer.status !== 200) {
    throw repositoryRefusal(answer, repository, { token: credentials?.token ?? null });
  }
  requireType(answer, "application/x-git-upload-pack-advertisement", repository.host);
  return { gitUrl, addresses: found.map(({ address }) => address) };
}
