/** GitLab's part of pull requests. https://docs.gitlab.com/api/merge_requests, /deployments, /environments, /commits, /notes */
import { type JsonObject, readJson, requireObject } from "./answers.ts";
import type { DeploymentReport } from "./pull-requests.ts";
import type { RepositoryApi } from "./rest-api.ts";
import { cutDescription, readPullRequest } from "./rest-pull-request-list.ts";
import { type PullRequestDialect, readId } from "./rest-pull-requests.ts";

const DESCRIPTION_CHARACTERS_MAX = 255;
/** Each file comes with its changed lines. */
const FILES_AT_ONCE = 30;
const WRITES = "the scope api and the role Developer";

/** GitLab has no state before `running`, and none after the end: then the environment is stopped. */
const DEPLOYMENT_STATUSES = {
  queued: "running",
  in_progress: "running",
  success: "success",
  failure: "failed",
  inactive: null,
} as const;
const COMMIT_STATES = { pending: "pending", success: "success", failure: "failed" } as const;

export const GITLAB_PULL_REQUESTS: PullRequestDialect = {
  needs: { list: "the scope read_api", deployments: WRITES, comments: WRITES, statuses: WRITES },
  recentPath: "merge_requests?scope=all&state=all&order_by=updated_at&sort=desc&per_page=100",
  openPath: (page) =>
    `merge_requests?scope=all&state=opened&order_by=created_at&sort=asc&per_page=100&page=${page}`,
  readListed(listed, { host, repository }) {
    if (listed["sha"] === null) return null;
    const { source_project_id: source, target_project_id: target } = listed;
    const isFork = typeof source !== "number" || source !== target;
    return readPullRequest(
      {
        number: listed["iid"],
        title: listed["title"],
        author: (listed["author"] as { readonly username?: unknown } | null | undefined)?.username,
        branch: listed["source_branch"],
        commit: listed["sha"],
        base: listed["target_branch"],
        headRepository: isFork ? null : repository.path,
        headProject: isFork ? source : null,
        isFork,
        labels: listed["labels"],
        isOpen: listed["state"] === "opened",
        updatedAt: listed["updated_at"],
      },
      (number) => `${repository.normalizedUrl}/-/merge_requests/${number}`,
      host,
    );
  },
  findProject,
  filesPath: (number, page) => `merge_requests/${number}/diffs?per_page=${FILES_AT_ONCE}&page=${page}`,
  pathsOf: ({ new_path: path, old_path: earlier }) => [path, earlier],
  async isCut(number, _files, api) {
    // `1000+`: GitLab stops at a limit of its own.
    const found = await api.find(`merge_requests/${number}`);
    return found === null || String(found["changes_count"]).endsWith("+");
  },
  comments: {
    listPath: (number, page) =>
      `merge_requests/${number}/notes?order_by=created_at&sort=asc&per_page=100&page=${page}`,
    createPath: (number) => `merge_requests/${number}/notes`,
    subjectPath: (number) => `merge_requests/${number}`,
    editMethod: "PUT",
    editPath: (number, id) => `merge_requests/${number}/notes/${encodeURIComponent(id)}`,
  },
  async reportDeployment(api, report) {
    const status = DEPLOYMENT_STATUSES[report.state];
    if (status === null) return await stop(api, report);
    await prepareEnvironment(api, report);
    const found = report.id === null ? await findNewest(api, report) : await findById(api, report.id);
    if (found !== null && found.commit === report.commit) {
      if (found.status === status) return { id: found.id };
      // A deployment that ended does not run again.
      if (status !== "running" && (await api.write("PUT", `deployments/${found.id}`, { status })) !== null)
        return { id: found.id };
    }
    const { commit: sha, ref, environment } = report;
    const created = await api.mustWrite(
      "POST",
      "deployments",
      {
        sha,
        ref,
        tag: false,
        environment,
        status,
      },
      commitPath(sha),
    );
    return { id: readId(created, api.host) };
  },
  async reportStatus(api, { commit, context, state, url, description }) {
    const wanted = COMMIT_STATES[state];
    const at = encodeURIComponent(commit);
    const body = {
      state: wanted,
      name: context,
      description: cutDescription(description, DESCRIPTION_CHARACTERS_MAX),
      ...(url === null ? {} : { target_url: url }),
    };
    // GitLab refuses the state that a status has: "Cannot transition status via :enqueue from :pending".
    const name = encodeURIComponent(context);
    const newest = await api.findFirst(`repository/commits/${at}/statuses?name=${name}&per_page=1`);
    if (newest?.["status"] !== wanted)
      await api.mustWrite("POST", `statuses/${at}`, body, commitPath(commit));
  },
};

const commitPath = (commit: string): string => `repository/commits/${encodeURIComponent(commit)}`;

/** The path of a project; null if there is none for this token. */
async function findProject(api: RepositoryApi, id: number): Promise<string | null> {
  const answer = await api.getElsewhere(`projects/${id}`);
  if (answer.status !== 200) return null;
  const { path_with_namespace: path } = requireObject(readJson(answer, api.host), api.host);
  return typeof path === "string" ? path : null;
}

type Deployment = { readonly id: string; readonly commit: unknown; readonly status: unknown };

async function findById(api: RepositoryApi, id: string): Promise<Deployment | null> {
  const found = await api.find(`deployments/${encodeURIComponent(id)}`);
  return found === null ? null : readDeployment(found, api.host);
}

async function findNewest(api: RepositoryApi, { environment }: DeploymentReport): Promise<Deployment | null> {
  const of = `environment=${encodeURIComponent(environment)}&order_by=id&sort=desc&per_page=1`;
  const newest = await api.findFirst(`deployments?${of}`);
  return newest === null ? null : readDeployment(newest, api.host);
}

function readDeployment(found: JsonObject, host: string): Deployment {
  return { id: readId(found, host), commit: found["sha"], status: found["status"] };
}

type Environment = { readonly id: string; readonly url: unknown; readonly isAvailable: boolean };

async function findEnvironment(
  api: RepositoryApi,
  { environment }: DeploymentReport,
): Promise<Environment | null> {
  const found = await api.findFirst(`environments?name=${encodeURIComponent(environment)}`);
  if (found === null) return null;
  return {
    id: readId(found, api.host),
    url: found["external_url"],
    isAvailable: found["state"] === "available",
  };
}

/** GitLab keeps the address at the environment, and not at its deployments. */
async function prepareEnvironment(api: RepositoryApi, report: DeploymentReport): Promise<void> {
  const found = await findEnvironment(api, report);
  const address = report.url === null ? {} : { external_url: report.url };
  if (found === null) {
    const tier = report.isPreview ? { tier: "development" } : {};
    await api.mustWrite("POST", "environments", { name: report.environment, ...address, ...tier }, null);
  } else if (report.url !== null && report.url !== found.url)
    await api.mustWrite("PUT", `environments/${found.id}`, address, null);
}

/** Ends a deployment, and stops its environment unless that has a newer one. */
async function stop(api: RepositoryApi, report: DeploymentReport): Promise<{ readonly id: string | null }> {
  const newest = await findNewest(api, report);
  const ended = report.id === null || report.id === newest?.id ? newest : await findById(api, report.id);
  const id = ended?.id ?? report.id;
  if (ended?.status === "running") await api.write("PUT", `deployments/${ended.id}`, { status: "canceled" });
  if (newest !== null && newest.id !== id) return { id };
  const environment = await findEnvironment(api, report);
  if (environment?.isAvailable === true)
    await api.write("POST", `environments/${environment.id}/stop`, { force: true });
  return { id };
}
