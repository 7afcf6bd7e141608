/** Pull requests over the REST APIs of GitHub and GitLab: what both do alike. */
import { type JsonObject, readJson, requireObjects, unreadable } from "./answers.ts";
import type { GitAccess, PullRequestHost, Repository } from "./git.ts";
import { makeRepositoryApi, type RepositoryApi, type RestAddress, type SendRest } from "./rest-api.ts";
import { type ListingDialect, listOpen, PAGES_MAX } from "./rest-pull-request-list.ts";

/** What differs between the hosts. Paths are below the repository's. */
export type PullRequestDialect = ListingDialect & {
  readonly needs: {
    readonly list: string;
    readonly deployments: string;
    readonly comments: string;
    readonly statuses: string;
  };
  readonly filesPath: (number: number, page: number) => string;
  /** The paths that an entry of the files has. */
  readonly pathsOf: (file: JsonObject) => readonly unknown[];
  /** Whether the host lists no more files than these, although the pull request may change more. */
  readonly isCut: (number: number, files: number, api: RepositoryApi) => Promise<boolean>;
  readonly comments: {
    readonly listPath: (number: number, page: number) => string;
    readonly createPath: (number: number) => string;
    /** The pull request itself. */
    readonly subjectPath: (number: number) => string;
    readonly editMethod: "PATCH" | "PUT";
    readonly editPath: (number: number, id: string) => string;
  };
  readonly reportDeployment: (
    api: RepositoryApi,
    report: Parameters<PullRequestHost["reportDeployment"]>[2],
  ) => Promise<{ readonly id: string | null }>;
  readonly reportStatus: (
    api: RepositoryApi,
    report: Parameters<PullRequestHost["reportStatus"]>[2],
  ) => Promise<void>;
};

const COMMENT_PAGES_MAX = 10;

export function makeRestPullRequests(
  send: SendRest,
  address: RestAddress,
  dialect: PullRequestDialect,
): PullRequestHost {
  const { needs } = dialect;
  const apiOf = (access: GitAccess, repository: Repository, need: string) =>
    makeRepositoryApi(send, address, access, repository, need);

  return {
    listPullRequests: (access, repository, tag) =>
      listOpen(apiOf(access, repository, needs.list), dialect, tag),

    async listChangedFiles(access, repository, number) {
      const api = apiOf(access, repository, needs.list);
      const paths = new Set<string>();
      let files = 0;
      for (let page = 1; page <= PAGES_MAX; page += 1) {
        const answer = await api.get(dialect.filesPath(number, page));
        if (answer.status === 404) {
          if (page === 1) await api.requireRepository();
          return null;
        }
        for (const file of requireObjects(readJson(answer, api.host), api.host)) {
          files += 1;
          for (const path of dialect.pathsOf(file)) {
            if (typeof path !== "string") throw unreadable(api.host);
            paths.add(path);
          }
        }
        if (!api.hasMore(answer.headers))
          return (await dialect.isCut(number, files, api)) ? null : [...paths];
      }
      return null;
    },

    reportDeployment: (access, repository, report) =>
      dialect.reportDeployment(apiOf(access, repository, needs.deployments), report),

    async writeComment(access, repository, { number, id, marker, text }) {
      const api = apiOf(access, repository, needs.comments);
      const { comments } = dialect;
      const hidden = `<!-- slipway:${marker} -->`;
      const body = { body: `${text}\n\n${hidden}` };
      const edit = (one: string) => api.write(comments.editMethod, comments.editPath(number, one), body);
      if (id !== null && (await edit(id)) !== null) return { id };
      const found = await findComment(api, comments, number, hidden);
      if (found !== null && (await edit(found)) !== null) return { id: found };
      const subject = comments.subjectPath(number);
      return {
        id: readId(await api.mustWrite("POST", comments.createPath(number), body, subject), api.host),
      };
    },

    reportStatus: (access, repository, report) =>
      dialect.reportStatus(apiOf(access, repository, needs.statuses), report),
  };
}

async function findComment(
  api: RepositoryApi,
  comments: PullRequestDialect["comments"],
  number: number,
  hidden: string,
): Promise<string | null> {
  for (let page = 1; page <= COMMENT_PAGES_MAX; page += 1) {
    const answer = await api.get(comments.listPath(number, page));
    if (answer.status !== 200) return null;
    const listed = requireObjects(readJson(answer, api.host), api.host);
    const found = listed.find(({ body }) => typeof body === "string" && body.includes(hidden));
    if (found !== undefined) return readId(found, api.host);
    if (!api.hasMore(answer.headers)) return null;
  }
  return null;
}

/** The id of what a host created. @throws GitError `HOST_UNAVAILABLE` */
export function readId({ id }: JsonObject, host: string): string {
  if (typeof id !== "number" || !Number.isSafeInteger(id)) throw unreadable(host);
  return String(id);
}
