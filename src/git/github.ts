/** `provider_a`: GitHub. https://docs.github.com/rest */
import { Octokit } from "@octokit/rest";
import { readCommitTexts } from "./commit-texts.ts";
import { type Git, type GitAccess, GitError, REPOSITORIES_AT_ONCE, type Repository } from "./git.ts";
import type { HttpClient, HttpRequest } from "./http-client.ts";
import { reached } from "./reached-repository.ts";
import { type RefusingAnswer, repositoryRefusal, tokenCheckRefusal, unreadable } from "./refusals.ts";
import { listBranchesAt } from "./smart-http.ts";
import { isTreePath } from "./tree-path.ts";

export const GITHUB_HOST = "github.com";

/** What a token needs, for its refusal. */
const NEEDS = "read access to the repository's contents and metadata";

export type GithubOptions = {
  readonly fetch: HttpClient;
  readonly apiUrl?: string;
  readonly webUrl?: string;
};

export function makeGithub(options: GithubOptions): Git {
  const { fetch, apiUrl = "https://api.github.com", webUrl = `https://${GITHUB_HOST}` } = options;
  const apiHost = new URL(apiUrl).host;
  const listing = asFetch(fetch, "listing");
  const file = asFetch(fetch, "file");

  const open = (access: GitAccess): Octokit =>
    new Octokit({
      ...(access.token === null ? {} : { auth: access.token }),
      baseUrl: apiUrl,
      request: { fetch: listing },
      // Octokit would print each failed request to the console.
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });

  /** The repository itself; refuses if it does not exist. */
  const getRepository = async (access: GitAccess, repository: Repository) => {
    const answer = await asked(open(access).rest.repos.get(nameOf(repository)));
    if ("refused" in answer) throw repositoryRefusal(answer.refused, repository, access);
    return answer.data;
  };

  return {
    listBranches: (access, repository) =>
      listBranchesAt(fetch, {
        gitUrl: `${webUrl}/${repository.path}.git`,
        credentials: access.token === null ? null : { username: "x-access-token", token: access.token },
        refusalOf: (answer) => repositoryRefusal(answer, repository, access),
      }),

    async readFile(access, repository, commit, path) {
      if (!isTreePath(path)) return null;
      const answer = await asked(
        open(access).rest.repos.getContent({
          ...nameOf(repository),
          path,
          ref: commit,
          mediaType: { format: "raw" },
          request: { fetch: file },
        }),
      );
      if ("refused" in answer) {
        if (answer.refused.status !== 404) throw repositoryRefusal(answer.refused, repository, access);
        // A missing file and a missing or hidden repository have the same status.
        await getRepository(access, repository);
        return null;
      }
      // The raw format of a file is its bytes, but the types do not say so. A folder or submodule stays JSON.
      const content: unknown = answer.data;
      if (content instanceof ArrayBuffer) return new TextDecoder().decode(content);
      return typeof content === "string" ? content : null;
    },

    async readCommit(access, repository, commit) {
      const answer = await asked(
        open(access).rest.git.getCommit({ ...nameOf(repository), commit_sha: commit }),
      );
      if ("refused" in answer) {
        if (answer.refused.status === 404) return null;
        throw repositoryRefusal(answer.refused, repository, access);
      }
      return readCommitTexts(answer.data?.message, answer.data?.author?.name);
    },

    async userCanRead(access, repository, login) {
      const found = await getRepository(access, repository);
      if (typeof found?.private !== "boolean") throw unreadable(apiHost);
      if (!found.private) return true;
      if (login === "") return false;
      const answer = await asked(
        open(access).rest.repos.getCollaboratorPermissionLevel({ ...nameOf(repository), username: login }),
      );
      // 404: GitHub has no user with this login.
      if ("refused" in answer) {
        if (answer.refused.status === 404) return false;
        throw repositoryRefusal(answer.refused, repository, access);
      }
      return ["admin", "write", "read"].includes(answer.data?.permission);
    },

    async checkToken(access) {
      if (access.token === null) throw new GitError("TOKEN_REFUSED", "GitHub requires a token.");
      // The one request that every kind of token may make (an app's token has no user). It counts against no rate
      // limit.
      const answer = await asked(open(access).rest.rateLimit.get());
      if ("refused" in answer) {
        throw tokenCheckRefusal(answer.refused, apiHost, NEEDS);
      }
      if (typeof answer.data?.resources !== "object") throw unreadable(apiHost);
    },

    async listRepositories(access, { number, order }) {
      const answer = await asked(
        open(access).rest.repos.listForAuthenticatedUser({
          sort: "created",
          direction: order,
          per_page: REPOSITORIES_AT_ONCE,
          page: number,
        }),
      );
      if ("refused" in answer) throw tokenCheckRefusal(answer.refused, apiHost, NEEDS);
      const found: unknown = answer.data;
      if (!Array.isArray(found)) throw unreadable(apiHost);
      const repositories = answer.data.map((one) =>
        reached(`https://${GITHUB_HOST}`, {
          path: one?.full_name,
          defaultBranch: one?.default_branch,
          isPrivate: one?.private,
        }),
      );
      return { repositories, hasMore: /rel="next"/.test(answer.headers.link ?? "") };
    },
  };
}

function ignore(): void {}

/** `hosts.ts` only lets `owner/name` through. */
function nameOf({ path }: Repository): { owner: string; repo: string } {
  const [owner = "", repo = ""] = path.split("/");
  return { owner, repo };
}

/** The guarded client, in the form that Octokit takes. */
function asFetch(client: HttpClient, expects: HttpRequest["expects"]): typeof globalThis.fetch {
  return async (input, init) => {
    if (typeof input !== "string" || (init?.method ?? "GET") !== "GET") {
      throw new TypeError("Only GET by address is wired to the guarded client.");
    }
    const answer = await client({
      method: "GET",
      url: new URL(input),
      headers: Object.fromEntries(new Headers(init?.headers)),
      expects,
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) headers.set(name, String(value));
    }
    const hasNoBody = answer.status === 204 || answer.status === 205;
    return new Response(hasNoBody ? null : new Uint8Array(answer.body), { status: answer.status, headers });
  };
}

type Answered<Data> = { readonly data: Data; readonly headers: { readonly link?: string | undefined } };

/**
 * GitHub's answer, or the status of its refusal. Octokit's own error is dropped, because it holds the request and the
 * host's texts.
 */
async function asked<Data>(
  call: Promise<Answered<Data>>,
): Promise<Answered<Data> | { readonly refused: RefusingAnswer }> {
  try {
    const { data, headers } = await call;
    return { data, headers };
  } catch (error) {
    if (!(error instanceof Error && "status" in error && typeof error.status === "number")) throw error;
    const response = "response" in error ? (error.response as RefusingAnswer | undefined) : undefined;
    if (response !== undefined) return { refused: { status: error.status, headers: response.headers } };
    // No answer came: take our own client's error out of Octokit's.
    throw error.cause;
  }
}
