/** GitHub's part of pull requests. https://docs.github.com/rest/pulls, /deployments, /commits/statuses, /issues/comments */
import type { JsonObject } from "./answers.ts";
import type { DeploymentReport } from "./pull-requests.ts";
import type { RepositoryApi } from "./rest-api.ts";
import { cutDescription, readPullRequest } from "./rest-pull-request-list.ts";
import { type PullRequestDialect, readId } from "./rest-pull-requests.ts";

/** GitHub lists no more: https://docs.github.com/rest/pulls/pulls#list-pull-requests-files */
const FILES_MAX = 3_000;
/** Of deployment statuses and commit statuses. */
const DESCRIPTION_CHARACTERS_MAX = 140;

type Side = {
  readonly ref?: unknown;
  readonly sha?: unknown;
  readonly repo?: { readonly id?: unknown; readonly full_name?: unknown } | null;
};

export const GITHUB_PULL_REQUESTS: PullRequestDialect = {
  needs: {
    list: "read access to pull requests",
    deployments: "write access to deployments",
    comments: "write access to pull requests",
    statuses: "write access to commit statuses",
  },
  recentPath: "pulls?state=all&sort=updated&direction=desc&per_page=100",
  openPath: (page) => `pulls?state=open&sort=created&direction=asc&per_page=100&page=${page}`,
  readListed(listed, { host, repository }) {
    const { head, base } = listed as { readonly head?: Side | null; readonly base?: Side | null };
    const labels = Array.isArray(listed["labels"]) ? listed["labels"] : [];
    return readPullRequest(
      {
        number: listed["number"],
        title: listed["title"],
        author: (listed["user"] as { readonly login?: unknown } | null | undefined)?.login,
        branch: head?.ref,
        commit: head?.sha,
        base: base?.ref,
        headRepository: head?.repo?.full_name,
        headProject: null,
        // Null: the fork was deleted.
        isFork: typeof head?.repo?.id !== "number" || head.repo.id !== base?.repo?.id,
        labels: labels.map((label: { readonly name?: unknown } | null) => label?.name),
        isOpen: listed["state"] === "open",
        updatedAt: listed["updated_at"],
      },
      (number) => `${repository.normalizedUrl}/pull/${number}`,
      host,
    );
  },
  findProject: async () => null,
  filesPath: (number, page) => `pulls/${number}/files?per_page=100&page=${page}`,
  pathsOf: ({ filename, previous_filename: earlier }) =>
    earlier === undefined ? [filename] : [filename, earlier],
  isCut: async (_number, files) => files >= FILES_MAX,
  comments: {
    listPath: (number, page) => `issues/${number}/comments?per_page=100&page=${page}`,
    createPath: (number) => `issues/${number}/comments`,
    subjectPath: (number) => `pulls/${number}`,
    editMethod: "PATCH",
    editPath: (_number, id) => `issues/comments/${encodeURIComponent(id)}`,
  },
  async reportDeployment(api, report) {
    const found = report.id ?? (await findDeployment(api, report));
    if (found !== null && (await setStatus(api, found, report))) return { id: found };
    // There is none, or it was deleted: then nothing is to be ended.
    if (report.state === "inactive") return { id: found };
    const created = await api.mustWrite(
      "POST",
      "deployments",
      {
        ref: report.commit,
        environment: report.environment,
        description: cutDescription(report.description, DESCRIPTION_CHARACTERS_MAX),
        // Otherwise GitHub merges the default branch into the commit, and waits for other statuses.
        auto_merge: false,
        required_contexts: [],
        transient_environment: report.isPreview,
      },
      commitPath(report.commit),
    );
    const id = readId(created, api.host);
    await setStatus(api, id, report);
    return { id };
  },
  async reportStatus(api, { commit, context, state, url, description }) {
    await api.mustWrite(
      "POST",
      `statuses/${encodeURIComponent(commit)}`,
      {
        state,
        context,
        description: cutDescription(description, DESCRIPTION_CHARACTERS_MAX),
        ...(url === null ? {} : { target_url: url }),
      },
      commitPath(commit),
    );
  },
};

const commitPath = (commit: string): string => `git/commits/${encodeURIComponent(commit)}`;

/** The newest deployment of the commit in the environment, which an interrupted report created. */
async function findDeployment(
  api: RepositoryApi,
  { commit, environment }: DeploymentReport,
): Promise<string | null> {
  const of = `sha=${encodeURIComponent(commit)}&environment=${encodeURIComponent(environment)}`;
  const newest = await api.findFirst(`deployments?${of}&per_page=1`);
  return newest === null ? null : readId(newest, api.host);
}

/** @returns whether the host has the deployment */
async function setStatus(api: RepositoryApi, id: string, report: DeploymentReport): Promise<boolean> {
  const { state, url, logUrl, description } = report;
  const status: JsonObject = {
    state,
    description: cutDescription(description, DESCRIPTION_CHARACTERS_MAX),
    ...(url === null ? {} : { environment_url: url }),
    ...(logUrl === null ? {} : { log_url: logUrl }),
  };
  return (await api.write("POST", `deployments/${encodeURIComponent(id)}/statuses`, status)) !== null;
}
