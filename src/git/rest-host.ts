/**
 * The requests that the REST APIs of GitHub and GitLab answer alike. They are sent directly: client libraries bring their
 * own HTTP, which cannot be guarded, or need more code to wrap than these few requests.
 */
import {
  type JsonObject,
  type LoggedFields,
  readJson,
  readLogged,
  repositoryRefusal,
  requireObject,
  requireObjects,
  tokenCheckRefusal,
  unreadable,
} from "./answers.ts";
import { readCommitTexts } from "./commit-texts.ts";
import {
  type FolderEntry,
  type Git,
  type GitAccess,
  GitError,
  isTreePath,
  LOGGED_COMMITS_MAX,
  type ReachedRepository,
  type Repository,
  type RepositoryPage,
} from "./git.ts";
import type { HttpAnswer, HttpClient, HttpRequest } from "./http-client.ts";
import { getRepository, makeSendRest, type RestAddress } from "./rest-api.ts";
import { makeRestPullRequests, type PullRequestDialect } from "./rest-pull-requests.ts";
import { listBranchesAt } from "./smart-http.ts";

/** What differs between the hosts. Paths are below the API's address, of parts of a repository below the repository's. */
export type RestHost = RestAddress & {
  readonly name: string;
  /** What a token needs, for its refusal. */
  readonly needs: string;
  /** The user that git's own protocol logs in as, with the token as the password. */
  readonly gitUser: string;
  /** @throws GitError `HOST_REFUSED` for a self-hosted access without a host */
  readonly webUrlOf: (access: GitAccess) => string;
  /** Where a token of any kind can be tried, and whether the answer is the host's. */
  readonly tokenPath: string;
  readonly isTokenAnswer: (answer: JsonObject) => boolean;
  readonly filePath: (path: string, commit: string) => string;
  readonly fileHeaders: Readonly<Record<string, string>>;
  readonly isFile: (answer: HttpAnswer) => boolean;
  /** A page of what is in a folder, or in the root for an empty path. */
  readonly folderPath: (path: string, commit: string, page: number) => string;
  readonly commitPath: (commit: string) => string;
  /** The message and the author's name of a commit. */
  readonly textsOf: (commit: JsonObject) => Parameters<typeof readCommitTexts>;
  readonly logPath: (commit: string) => string;
  readonly loggedOf: (listed: JsonObject) => LoggedFields;
  /** As of `Git.listChangesBetween`. */
  readonly listChangesBetween: (api: RestApi, from: string, to: string) => Promise<readonly string[] | null>;
  readonly listPath: (page: RepositoryPage) => string;
  readonly describe: (listed: JsonObject, access: GitAccess) => ReachedRepository;
  readonly pullRequests: PullRequestDialect;
  readonly userCanRead: (api: RestApi, repository: JsonObject, login: string) => Promise<boolean>;
};

/** GitHub has all on one page; GitLab has 100 on each. */
const FOLDER_PAGES_MAX = 5;
const FOLDER_KINDS: Readonly<Record<string, FolderEntry["kind"]>> = {
  file: "file",
  blob: "file",
  dir: "folder",
  tree: "folder",
};

/** The API for one call about a repository. */
export type RestApi = {
  readonly host: string;
  /** Null if the host does not have it. @param path below the repository's */
  find(path: string): Promise<JsonObject | null>;
  /** @param path below the API's address */
  list(path: string): Promise<readonly JsonObject[]>;
};

export function makeRestGit(fetch: HttpClient, host: RestHost): Git {
  const send = makeSendRest(fetch, host);
  const get = (
    access: GitAccess,
    path: string,
    expects: HttpRequest["expects"] = "listing",
    headers: Readonly<Record<string, string>> = {},
  ) => send(access, path, { expects, headers });
  const credentialsOf = ({ token }: GitAccess) => (token === null ? null : { username: host.gitUser, token });
  const apiHostOf = (access: GitAccess) => new URL(host.apiUrlOf(access)).host;
  const apiOf = (access: GitAccess, repository: Repository): RestApi => {
    const apiHost = apiHostOf(access);
    return {
      host: apiHost,
      async find(path) {
        const answer = await get(access, `${host.repositoryPath(repository)}/${path}`);
        if (answer.status === 404) return null;
        if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
        return requireObject(readJson(answer, apiHost), apiHost);
      },
      async list(path) {
        const answer = await get(access, path);
        if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
        return requireObjects(readJson(answer, apiHost), apiHost);
      },
    };
  };
  /** The answer about a part of a repository; null if the repository does not have it. @param path below the repository's */
  const getPart = async (
    access: GitAccess,
    repository: Repository,
    path: string,
    expects?: HttpRequest["expects"],
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpAnswer | null> => {
    const answer = await get(access, `${host.repositoryPath(repository)}/${path}`, expects, headers);
    if (answer.status === 200) return answer;
    if (answer.status !== 404) throw repositoryRefusal(answer, repository, access);
    // A missing part and a missing or hidden repository have the same status.
    await getRepository(send, host, access, repository);
    return null;
  };

  return {
    ...makeRestPullRequests(send, host, host.pullRequests),

    credentialsFor: credentialsOf,

    listBranches: (access, repository) =>
      listBranchesAt(fetch, {
        gitUrl: `${host.webUrlOf(access)}/${repository.path}.git`,
        credentials: credentialsOf(access),
        refusalOf: (answer) => repositoryRefusal(answer, repository, access),
      }),

    async readFile(access, repository, commit, path) {
      if (!isTreePath(path)) return null;
      const filePath = host.filePath(path, commit);
      const answer = await getPart(access, repository, filePath, "file", host.fileHeaders);
      return answer !== null && host.isFile(answer) ? new TextDecoder().decode(answer.body) : null;
    },

    async listFolder(access, repository, commit, path) {
      if (path !== "" && !isTreePath(path)) return null;
      const entries: FolderEntry[] = [];
      for (let page = 1; page <= FOLDER_PAGES_MAX; page += 1) {
        const answer = await getPart(access, repository, host.folderPath(path, commit, page));
        if (answer === null) return null;
        const listed = readJson(answer, repository.host);
        // GitHub describes a file with one object.
        if (!Array.isArray(listed)) return null;
        for (const { name, type } of requireObjects(listed, repository.host)) {
          if (typeof name !== "string" || typeof type !== "string") throw unreadable(repository.host);
          const kind = FOLDER_KINDS[type];
          if (kind !== undefined) entries.push({ name, kind });
        }
        if (!host.hasMore(answer.headers)) break;
      }
      return entries;
    },

    async readCommit(access, repository, commit) {
      const found = await apiOf(access, repository).find(host.commitPath(commit));
      return found === null ? null : readCommitTexts(...host.textsOf(found));
    },

    async listCommits(access, repository, commit) {
      const answer = await getPart(access, repository, host.logPath(commit));
      if (answer === null) return [];
      const apiHost = apiHostOf(access);
      return requireObjects(readJson(answer, apiHost), apiHost)
        .slice(0, LOGGED_COMMITS_MAX)
        .map((listed) => readLogged(host.loggedOf(listed), apiHost));
    },

    async listChangesBetween(access, repository, from, to) {
      if (from === to) return [];
      return await host.listChangesBetween(apiOf(access, repository), from, to);
    },

    async userCanRead(access, repository, login) {
      const found = await getRepository(send, host, access, repository);
      return await host.userCanRead(apiOf(access, repository), found, login);
    },

    async checkToken(access) {
      if (access.token === null) throw new GitError("TOKEN_REFUSED", `${host.name} requires a token.`);
      const apiHost = apiHostOf(access);
      const answer = await get(access, host.tokenPath);
      if (answer.status !== 200) throw tokenCheckRefusal(answer, apiHost, host.needs);
      if (!host.isTokenAnswer(requireObject(readJson(answer, apiHost), apiHost))) throw unreadable(apiHost);
    },

    async listRepositories(access, page) {
      const apiHost = apiHostOf(access);
      const answer = await get(access, host.listPath(page));
      if (answer.status !== 200) throw tokenCheckRefusal(answer, apiHost, host.needs);
      const repositories = requireObjects(readJson(answer, apiHost), apiHost).map((one) =>
        host.describe(one, access),
      );
      return { repositories, hasMore: host.hasMore(answer.headers) };
    },
  };
}
