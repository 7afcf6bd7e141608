/**
 * `provider_b` and `provider_b_self_hosted`: GitLab's REST API, https://docs.gitlab.com/api/rest/. Called directly: its
 * client libraries use the global `fetch`, which cannot be guarded.
 */
import { readCommitTexts } from "./commit-texts.ts";
import { type Git, type GitAccess, GitError, REPOSITORIES_AT_ONCE, type Repository } from "./git.ts";
import type { HttpAnswer, HttpClient, HttpRequest } from "./http-client.ts";
import { reached } from "./reached-repository.ts";
import { repositoryRefusal, tokenCheckRefusal, unreadable } from "./refusals.ts";
import { parseGitHost } from "./repository-url.ts";
import { listBranchesAt } from "./smart-http.ts";
import { isTreePath } from "./tree-path.ts";

export const GITLAB_HOST = "gitlab.com";

/** The lowest access level that may read the code of a private project. A Guest (10) only sees its issues. */
const REPORTER_ACCESS_LEVEL = 20;

/** What a token needs, for its refusal. */
const NEEDS = "the scopes read_api and read_repository";

type JsonObject = Readonly<Record<string, unknown>>;

export function makeGitlab({ fetch }: { readonly fetch: HttpClient }): Git {
  const get = (access: GitAccess, path: string, expects: HttpRequest["expects"] = "listing") =>
    fetch({
      method: "GET",
      url: new URL(`${gitlabUrlOf(access)}/api/v4/${path}`),
      // GitLab accepts this header for every kind of token: personal, group, project and OAuth.
      headers: access.token === null ? {} : { authorization: `Bearer ${access.token}` },
      expects,
    });

  const getProject = async (access: GitAccess, repository: Repository): Promise<JsonObject> => {
    const answer = await get(access, projectPath(repository));
    if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
    return readObject(answer, repository.host);
  };

  return {
    listBranches: (access, repository) =>
      listBranchesAt(fetch, {
        gitUrl: `${gitlabUrlOf(access)}/${repository.path}.git`,
        credentials: access.token === null ? null : { username: "oauth2", token: access.token },
        refusalOf: (answer) => repositoryRefusal(answer, repository, access),
      }),

    async readFile(access, repository, commit, path) {
      if (!isTreePath(path)) return null;
      const file = `${projectPath(repository)}/repository/files/${encodeURIComponent(path)}/raw`;
      const answer = await get(access, `${file}?ref=${encodeURIComponent(commit)}`, "file");
      if (answer.status === 200) return new TextDecoder().decode(answer.body);
      if (answer.status !== 404) throw repositoryRefusal(answer, repository, access);
      // A missing file and a missing or hidden project have the same status.
      await getProject(access, repository);
      return null;
    },

    async readCommit(access, repository, commit) {
      const path = `${projectPath(repository)}/repository/commits/${encodeURIComponent(commit)}`;
      const answer = await get(access, path);
      if (answer.status === 404) return null;
      if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
      const found = readObject(answer, repository.host);
      return readCommitTexts(found["message"], found["author_name"]);
    },

    async userCanRead(access, repository, login) {
      const project = await getProject(access, repository);
      // A public project may restrict its code to its members.
      const isCodeForMembers = ["private", "disabled"].includes(String(project["repository_access_level"]));
      if (project["visibility"] === "public" && !isCodeForMembers) return true;
      const user = await findUser(access, repository, login);
      if (user === null) return false;
      // "internal" means every signed-in user, except external users, who need a membership.
      if (project["visibility"] === "internal" && !isCodeForMembers && user["external"] === false)
        return true;
      const answer = await get(access, `${projectPath(repository)}/members/all/${String(user["id"])}`);
      if (answer.status === 404) return false;
      if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
      const member = readObject(answer, repository.host);
      return Number(member["access_level"]) >= REPORTER_ACCESS_LEVEL;
    },

    async checkToken(access) {
      const { host } = new URL(gitlabUrlOf(access));
      if (access.token === null) throw new GitError("TOKEN_REFUSED", "GitLab requires a token.");
      const answer = await get(access, "user");
      if (answer.status !== 200) {
        throw tokenCheckRefusal(answer, host, NEEDS);
      }
      if (!Number.isInteger(readObject(answer, host)["id"])) throw unreadable(host);
    },

    async listRepositories(access, { number, order }) {
      const url = gitlabUrlOf(access);
      const { host } = new URL(url);
      const query = new URLSearchParams({
        membership: "true",
        min_access_level: String(REPORTER_ACCESS_LEVEL),
        order_by: "id",
        sort: order,
        per_page: String(REPOSITORIES_AT_ONCE),
        page: String(number),
      });
      const answer = await get(access, `projects?${query.toString()}`);
      if (answer.status !== 200) throw tokenCheckRefusal(answer, host, NEEDS);
      const found = readJson(answer, host);
      if (!Array.isArray(found)) throw unreadable(host);
      const repositories = (found as unknown[]).map((one) => {
        if (!isObject(one) || typeof one["visibility"] !== "string") throw unreadable(host);
        return reached(url, {
          path: one["path_with_namespace"],
          defaultBranch: one["default_branch"],
          isPrivate: one["visibility"] !== "public",
        });
      });
      return { repositories, hasMore: (answer.headers["x-next-page"] ?? "") !== "" };
    },
  };

  /** The active user with exactly this login; null when there is none. */
  async function findUser(
    access: GitAccess,
    repository: Repository,
    login: string,
  ): Promise<JsonObject | null> {
    if (login === "") return null;
    const answer = await get(access, `users?username=${encodeURIComponent(login)}`);
    if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
    const users = readJson(answer, repository.host);
    if (!Array.isArray(users)) throw unreadable(repository.host);
    for (const user of users as unknown[]) {
      if (!isObject(user) || !Number.isInteger(user["id"]) || typeof user["username"] !== "string") {
        throw unreadable(repository.host);
      }
      const isLogin = user["username"].toLowerCase() === login.toLowerCase();
      if (isLogin && user["state"] === "active") return user;
    }
    return null;
  }
}

/** @throws GitError `HOST_REFUSED` for a self-hosted access without a host */
function gitlabUrlOf(access: GitAccess): string {
  if (access.provider !== "provider_b_self_hosted") return `https://${GITLAB_HOST}`;
  if (access.host === null) throw new GitError("HOST_REFUSED", "A self-hosted GitLab requires a host.");
  return `https://${parseGitHost(access.host)}`;
}

function projectPath(repository: Repository): string {
  return `projects/${encodeURIComponent(repository.path)}`;
}

function readObject(answer: HttpAnswer, host: string): JsonObject {
  const value = readJson(answer, host);
  if (!isObject(value)) throw unreadable(host);
  return value;
}

function readJson(answer: HttpAnswer, host: string): unknown {
  try {
    return JSON.parse(answer.body.toString()) as unknown;
  } catch (error) {
    // The parser's error quotes the host's answer, so it is not kept as the cause.
    if (error instanceof SyntaxError) throw unreadable(host);
    throw error;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
