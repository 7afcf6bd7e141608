/** Pull requests of the sandbox's git host. */
import { toOneLine } from "../lib/shown-text.ts";
import { permissionRefusal } from "./answers.ts";
import { GitError, type PullRequestHost, type Repository } from "./git.ts";
import type { HttpAnswer, HttpClient } from "./http-client.ts";
import type { PullRequest } from "./pull-requests.ts";

/**
 * @param urlOf of a repository at the sandbox's server. @throws GitError `REPOSITORY_NOT_FOUND`
 * @param refusalOf an answer that is not about permissions
 */
export function makeSandboxPullRequests(
  fetch: HttpClient,
  urlOf: (repository: Repository) => string,
  refusalOf: (answer: HttpAnswer, repository: Repository) => GitError,
): PullRequestHost {
  const send = async (
    repository: Repository,
    path: string,
    options: {
      readonly method?: "POST" | "PUT";
      readonly body?: object;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<HttpAnswer> => {
    const { method = "GET", body, headers = {} } = options;
    const answer = await fetch({
      method,
      url: new URL(`${urlOf(repository)}/${path}`),
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      expects: "listing",
    });
    if ([200, 304].includes(answer.status)) return answer;
    if (answer.status === 410)
      throw new GitError(
        "REPORT_IMPOSSIBLE",
        `${repository.normalizedUrl} has no such pull request or commit.`,
      );
    throw [403, 429].includes(answer.status)
      ? permissionRefusal(answer, repository, { token: null }, "the permission")
      : refusalOf(answer, repository);
  };
  const jsonOf = (answer: HttpAnswer): unknown => JSON.parse(answer.body.toString());

  return {
    async listPullRequests(_access, repository, tag) {
      const headers = tag === null ? {} : { "if-none-match": tag };
      const answer = await send(repository, "pull-requests", { headers });
      if (answer.status === 304) return null;
      const pullRequests = (jsonOf(answer) as readonly Listed[]).map(
        ({ number, title, author, head, headCommit, base, headRepository, isFork, labels }) => ({
          number,
          title: toOneLine(title),
          url: `${repository.normalizedUrl}/pull/${number}`,
          author,
          head: { branch: head, commit: headCommit },
          base,
          headRepository,
          isFork,
          labels,
        }),
      );
      return { pullRequests, tag: answer.headers.etag ?? "" };
    },
    async listChangedFiles(_access, repository, number) {
      const answer = await send(repository, `pull-requests/${number}/files`);
      return (jsonOf(answer) as { readonly paths: readonly string[] | null }).paths;
    },
    reportDeployment: async (_access, repository, report) =>
      jsonOf(await send(repository, "deployments", { method: "POST", body: report })) as {
        readonly id: string | null;
      },
    writeComment: async (_access, repository, { number, ...body }) =>
      jsonOf(await send(repository, `pull-requests/${number}/comment`, { method: "PUT", body })) as {
        readonly id: string;
      },
    async reportStatus(_access, repository, report) {
      await send(repository, "statuses", { method: "PUT", body: report });
    },
  };
}

/** Only open ones are listed. */
type Listed = Omit<PullRequest, "head" | "url"> & { readonly head: string; readonly headCommit: string };
