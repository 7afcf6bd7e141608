/** `provider_a`: GitHub. https://docs.github.com/rest */
import { pathsOf, reached, requireObjects, unreadable } from "./answers.ts";
import { type Git, LOGGED_COMMITS_MAX, REPOSITORIES_AT_ONCE } from "./git.ts";
import { GITHUB_PULL_REQUESTS } from "./github-pull-requests.ts";
import type { HttpClient } from "./http-client.ts";
import { makeRestGit } from "./rest-host.ts";

type Person = { readonly name?: unknown; readonly date?: unknown };

export const GITHUB_HOST = "github.com";

/** GitHub lists no more: https://docs.github.com/rest/commits/commits#compare-two-commits */
const COMPARED_FILES_MAX = 300;

export function makeGithub({
  fetch,
  apiUrl = "https://api.github.com",
  webUrl = `https://${GITHUB_HOST}`,
}: {
  readonly fetch: HttpClient;
  readonly apiUrl?: string;
  readonly webUrl?: string;
}): Git {
  return makeRestGit(fetch, {
    name: "GitHub",
    needs: "read access to the repository's contents and metadata",
    gitUser: "x-access-token",
    webUrlOf: () => webUrl,
    apiUrlOf: () => apiUrl,
    // GitHub refuses requests without a user agent.
    headers: { accept: "application/vnd.github+json", "user-agent": "slipway" },
    // The one request that every kind of token may make (an app's token has no user). It counts against no rate limit.
    tokenPath: "rate_limit",
    isTokenAnswer: ({ resources }) => typeof resources === "object",
    // `hosts.ts` only lets `owner/name` through.
    repositoryPath: ({ path }) => `repos/${path}`,
    filePath: (path, commit) =>
      `contents/${path.split("/").map(encodeURIComponent).join("/")}?ref=${encodeURIComponent(commit)}`,
    // The bytes of a file. A folder or submodule stays JSON.
    fileHeaders: { accept: "application/vnd.github.v3.raw" },
    isFile: ({ headers }) => !String(headers["content-type"]).startsWith("application/json"),
    folderPath: (path, commit) =>
      `contents/${path.split("/").map(encodeURIComponent).join("/")}?ref=${encodeURIComponent(commit)}`,
    commitPath: (commit) => `git/commits/${encodeURIComponent(commit)}`,
    textsOf: ({ message, author }) => [message, (author as { readonly name?: unknown } | null)?.name],
    logPath: (commit) => `commits?sha=${encodeURIComponent(commit)}&per_page=${LOGGED_COMMITS_MAX}`,
    loggedOf({ sha: hash, commit }) {
      const { message, author, committer } = (commit ?? {}) as Readonly<Record<string, Person | undefined>>;
      return { hash, committedAt: committer?.date, texts: [message, author?.name] };
    },
    async listChangesBetween(api, from, to) {
      const found = await api.find(
        `compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}?per_page=1`,
      );
      // Otherwise the first commit is not in the history of the other.
      if (found?.["status"] !== "ahead") return null;
      const files = requireObjects(found["files"], api.host);
      return files.length < COMPARED_FILES_MAX
        ? pathsOf(files, ["filename", "previous_filename"], api.host)
        : null;
    },
    listPath: ({ number, order, sort }) =>
      `user/repos?sort=${sort}&direction=${order}&per_page=${REPOSITORIES_AT_ONCE}&page=${number}`,
    describe: ({
      full_name: path,
      default_branch: defaultBranch,
      private: isPrivate,
      pushed_at: lastPushedAt,
    }) => reached(`https://${GITHUB_HOST}`, { path, defaultBranch, isPrivate, lastPushedAt }),
    hasMore: ({ link }) => /rel="next"/.test(String(link)),
    pullRequests: GITHUB_PULL_REQUESTS,
    async userCanRead(api, { private: isPrivate }, login) {
      if (typeof isPrivate !== "boolean") throw unreadable(api.host);
      if (!isPrivate) return true;
      if (login === "") return false;
      // Null: GitHub has no user with this login.
      const found = await api.find(`collaborators/${encodeURIComponent(login)}/permission`);
      return ["admin", "write", "read"].includes(String(found?.["permission"]));
    },
  });
}
