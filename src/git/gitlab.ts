/** `provider_b` and `provider_b_self_hosted`: GitLab. https://docs.gitlab.com/api/rest/ */
import { type JsonObject, pathsOf, reached, requireObjects, unreadable } from "./answers.ts";
import { type Git, type GitAccess, GitError, LOGGED_COMMITS_MAX, REPOSITORIES_AT_ONCE } from "./git.ts";
import { GITLAB_PULL_REQUESTS } from "./gitlab-pull-requests.ts";
import type { HttpClient } from "./http-client.ts";
import { parseGitHost } from "./repository-url.ts";
import { makeRestGit, type RestApi } from "./rest-host.ts";

export const GITLAB_HOST = "gitlab.com";

/** GitLab may stop at a limit of its own, which is at least this by default. */
const COMPARED_FILES_MAX = 1_000;

/** The lowest access level that may read the code of a private project. A Guest (10) only sees its issues. */
const REPORTER_ACCESS_LEVEL = 20;

export function makeGitlab({ fetch }: { readonly fetch: HttpClient }): Git {
  return makeRestGit(fetch, {
    name: "GitLab",
    needs: "the scopes read_api and read_repository",
    gitUser: "oauth2",
    webUrlOf: gitlabUrlOf,
    apiUrlOf: (access) => `${gitlabUrlOf(access)}/api/v4`,
    headers: {},
    tokenPath: "user",
    isTokenAnswer: ({ id }) => Number.isInteger(id),
    repositoryPath: ({ path }) => `projects/${encodeURIComponent(path)}`,
    filePath: (path, commit) =>
      `repository/files/${encodeURIComponent(path)}/raw?ref=${encodeURIComponent(commit)}`,
    fileHeaders: {},
    isFile: () => true,
    folderPath: (path, commit, page) =>
      `repository/tree?path=${encodeURIComponent(path)}&ref=${encodeURIComponent(commit)}&per_page=100&page=${page}`,
    commitPath: (commit) => `repository/commits/${encodeURIComponent(commit)}`,
    textsOf: ({ message, author_name: author }) => [message, author],
    logPath: (commit) =>
      `repository/commits?ref_name=${encodeURIComponent(commit)}&per_page=${LOGGED_COMMITS_MAX}`,
    loggedOf: ({ id: hash, committed_date: committedAt, message, author_name: author }) => ({
      hash,
      committedAt,
      texts: [message, author],
    }),
    async listChangesBetween(api, from, to) {
      const [first, last] = [encodeURIComponent(from), encodeURIComponent(to)];
      const common = await api.find(`repository/merge_base?refs[]=${first}&refs[]=${last}`);
      if (common?.["id"] !== from) return null;
      const found = await api.find(`repository/compare?from=${first}&to=${last}`);
      if (found === null || found["compare_timeout"] === true) return null;
      const files = requireObjects(found["diffs"], api.host);
      return files.length < COMPARED_FILES_MAX ? pathsOf(files, ["new_path", "old_path"], api.host) : null;
    },
    listPath({ number, order, sort }) {
      const by = sort === "created" ? "id" : "last_activity_at";
      const member = `membership=true&min_access_level=${REPORTER_ACCESS_LEVEL}`;
      return `projects?${member}&order_by=${by}&sort=${order}&per_page=${REPOSITORIES_AT_ONCE}&page=${number}`;
    },
    describe(project, access) {
      const { path_with_namespace: path, default_branch: defaultBranch, visibility } = project;
      const isPrivate =
        typeof visibility === "string" ? visibility !== "public" || isForMembers(project) : null;
      const lastPushedAt = project["last_activity_at"];
      return reached(gitlabUrlOf(access), { path, defaultBranch, isPrivate, lastPushedAt });
    },
    hasMore: ({ "x-next-page": next = "" }) => next !== "",
    pullRequests: GITLAB_PULL_REQUESTS,
    async userCanRead(api, project, login) {
      const { visibility } = project;
      const isCodeForMembers = isForMembers(project);
      if (visibility === "public" && !isCodeForMembers) return true;
      const user = await findUser(api, login);
      if (user === null) return false;
      // "internal" means every signed-in user, except external users, who need a membership.
      if (visibility === "internal" && !isCodeForMembers && user["external"] === false) return true;
      const member = await api.find(`members/all/${String(user["id"])}`);
      return Number(member?.["access_level"]) >= REPORTER_ACCESS_LEVEL;
    },
  });
}

/** A public project may restrict its code to its members. */
function isForMembers({ repository_access_level: codeAccess }: JsonObject): boolean {
  return ["private", "disabled"].includes(String(codeAccess));
}

/** The active user with exactly this login; null when there is none. */
async function findUser(api: RestApi, login: string): Promise<JsonObject | null> {
  if (login === "") return null;
  for (const user of await api.list(`users?username=${encodeURIComponent(login)}`)) {
    const { id, username, state } = user;
    if (!Number.isInteger(id) || typeof username !== "string") throw unreadable(api.host);
    if (username.toLowerCase() === login.toLowerCase() && state === "active") return user;
  }
  return null;
}

/** @throws GitError `HOST_REFUSED` for a self-hosted access without a host */
function gitlabUrlOf(access: GitAccess): string {
  if (access.provider !== "provider_b_self_hosted") return `https://${GITLAB_HOST}`;
  if (access.host === null) throw new GitError("HOST_REFUSED", "A self-hosted GitLab requires a host.");
  return `https://${parseGitHost(access.host)}`;
}
