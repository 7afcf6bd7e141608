/** The sandbox's git host: bare repositories that the sandbox server publishes, readable by every user and token. */
import { exchange } from "../egress/http-exchange.ts";
import { reached, readLogged } from "./answers.ts";
import { readCommitTexts } from "./commit-texts.ts";
import {
  type FolderEntry,
  type Git,
  GitError,
  isTreePath,
  LOGGED_COMMITS_MAX,
  REPOSITORIES_AT_ONCE,
  type Repository,
} from "./git.ts";
import { type HttpAnswer, type HttpRequest, makeHttpClient } from "./http-client.ts";
import { makeSandboxPullRequests } from "./sandbox-pull-requests.ts";
import { listBranchesAt } from "./smart-http.ts";

/** Repositories of the sandbox have addresses like `https://git.sandbox.test/NAME.git`; nothing listens there. */
const SANDBOX_GIT_HOST = "git.sandbox.test";

const WHAT_THE_SANDBOX_KNOWS = `The sandbox only has repositories at https://${SANDBOX_GIT_HOST}/NAME.git. Push yours to the folder <data dir>/sandbox/git/NAME.git, or use https://${SANDBOX_GIT_HOST}/demo.git.`;

/**
 * Makes the provider for a sandbox server at `sandboxUrl` (its origin), which the operator set and is trusted.
 * @param secret authenticates Slipway to the server
 */
export function makeSandboxGit(sandboxUrl: string, secret: string | null): Git {
  const authorization = secret === null ? {} : { authorization: `Bearer ${secret}` };
  const fetch = makeHttpClient((request) =>
    exchange(
      { ...request, headers: { ...request.headers, ...authorization } },
      { connectTimeoutMs: 5000, totalTimeoutMs: 15_000 },
    ),
  );
  const baseUrl = `${sandboxUrl.replace(/\/$/, "")}/git`;
  const get = (url: string, expects: HttpRequest["expects"] = "listing") =>
    fetch({ method: "GET", url: new URL(url), headers: {}, expects });
  const urlOf = (repository: Repository): string => {
    if (repository.host !== SANDBOX_GIT_HOST || repository.path.includes("/")) {
      throw new GitError(
        "REPOSITORY_NOT_FOUND",
        `${repository.normalizedUrl} cannot be reached from the sandbox. ${WHAT_THE_SANDBOX_KNOWS}`,
      );
    }
    return `${baseUrl}/${repository.path}.git`;
  };
  const listAll = async (): Promise<readonly Listed[]> => {
    const answer = await get(baseUrl);
    if (answer.status !== 200) throw failed(answer);
    return JSON.parse(answer.body.toString()) as readonly Listed[];
  };
  const listBranches = async (repository: Repository) =>
    listBranchesAt(fetch, {
      gitUrl: urlOf(repository),
      credentials: null,
      refusalOf: (answer) => refusal(answer, repository),
    });

  return {
    ...makeSandboxPullRequests(fetch, urlOf, refusal),

    credentialsFor: () => null,
    listBranches: (_access, repository) => listBranches(repository),

    async readFile(_access, repository, commit, path) {
      if (!isTreePath(path)) return null;
      const treePath = path.split("/").map(encodeURIComponent).join("/");
      const answer = await get(`${urlOf(repository)}/raw/${encodeURIComponent(commit)}/${treePath}`, "file");
      if (answer.status === 200) return new TextDecoder().decode(answer.body);
      if (answer.status === 413) throw new GitError("FILE_TOO_LARGE", "The file is larger than 1 MiB.");
      if (answer.status !== 404) throw refusal(answer, repository);
      // A missing file and a missing repository have the same status.
      await listBranches(repository);
      return null;
    },

    async listFolder(_access, repository, commit, path) {
      if (path !== "" && !isTreePath(path)) return null;
      const treePath = path.split("/").map(encodeURIComponent).join("/");
      const answer = await get(`${urlOf(repository)}/tree/${encodeURIComponent(commit)}/${treePath}`);
      if (answer.status === 200) return JSON.parse(answer.body.toString()) as readonly FolderEntry[];
      if (answer.status !== 404) throw refusal(answer, repository);
      await listBranches(repository);
      return null;
    },

    async readCommit(_access, repository, commit) {
      const answer = await get(`${urlOf(repository)}/commits/${encodeURIComponent(commit)}`);
      if (answer.status === 404) return null;
      if (answer.status !== 200) throw refusal(answer, repository);
      const { message, author } = JSON.parse(answer.body.toString()) as Readonly<Record<string, unknown>>;
      return readCommitTexts(message, author);
    },

    async listCommits(_access, repository, commit) {
      const answer = await get(
        `${urlOf(repository)}/log/${encodeURIComponent(commit)}?limit=${LOGGED_COMMITS_MAX}`,
      );
      if (answer.status !== 200) throw refusal(answer, repository);
      const listed = JSON.parse(answer.body.toString()) as readonly Readonly<Record<string, unknown>>[];
      return listed.map(({ oid, committedAt, message, author }) =>
        readLogged({ hash: oid, committedAt, texts: [message, author] }, repository.host),
      );
    },

    async listChangesBetween(_access, repository, from, to) {
      const range = [from, to].map(encodeURIComponent).join("/");
      const answer = await get(`${urlOf(repository)}/compare/${range}`);
      if (answer.status !== 200) throw refusal(answer, repository);
      return (JSON.parse(answer.body.toString()) as { readonly paths: readonly string[] | null }).paths;
    },

    async userCanRead(_access, repository) {
      await listBranches(repository);
      return true;
    },

    async checkToken() {
      await listAll();
    },

    async listRepositories(_access, { number, order, sort }) {
      const byName = await listAll();
      const all =
        sort === "created"
          ? byName
          : byName.toSorted((one, other) => pushOf(one).localeCompare(pushOf(other)));
      const end = number * REPOSITORIES_AT_ONCE;
      const repositories = (order === "asc" ? all : all.toReversed())
        .slice(end - REPOSITORIES_AT_ONCE, end)
        .map(({ name: path, ...listed }) =>
          reached(`https://${SANDBOX_GIT_HOST}`, { path, ...listed, isPrivate: false }),
        );
      return { repositories, hasMore: all.length > end };
    },
  };
}

type Listed = {
  readonly name: string;
  readonly defaultBranch: string | null;
  readonly lastPushedAt: string | null;
};

function pushOf({ lastPushedAt }: Listed): string {
  return lastPushedAt ?? "";
}

function refusal(answer: HttpAnswer, repository: Repository): GitError {
  if (answer.status === 422) {
    const isTooLarge = answer.headers["slipway-fault"] === "REPOSITORY_TOO_LARGE";
    const code = isTooLarge ? "REPOSITORY_TOO_LARGE" : "CHECKOUT_REFUSED";
    return new GitError(code, answer.body.toString().trim());
  }
  if (answer.status === 404) {
    return new GitError(
      "REPOSITORY_NOT_FOUND",
      `The sandbox has no repository ${repository.normalizedUrl}. ${WHAT_THE_SANDBOX_KNOWS}`,
    );
  }
  return failed(answer);
}

function failed(answer: HttpAnswer): GitError {
  return new GitError("HOST_UNAVAILABLE", `The sandbox server answered with status ${answer.status}.`);
}
