/** What Slipway reads and reports about pull requests of the sandbox's repositories, over HTTP. */
import { createHash } from "node:crypto";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { DEPLOYMENT_STATES } from "../../../src/git/pull-requests.ts";
import { closed } from "../protocol.ts";
import type { GitFaultKind, GitOperation } from "./git-faults.ts";
import { type GitHost, viewPullRequest } from "./git-host.ts";
import type { GitRepository } from "./git-repositories.ts";
import { RepositoryFault } from "./objects.ts";
import { PULL_REQUEST_NUMBER } from "./pull-requests.ts";

const Text = Type.String({ maxLength: 65_536 });
const OrNull = Type.Union([Text, Type.Null()]);
const Repository = Type.Object({ repository: Type.String() });
const PullRequest = Type.Object({
  repository: Type.String(),
  number: Type.String({ pattern: PULL_REQUEST_NUMBER.source }),
});

const RETRY_AFTER_SECONDS = 1;
const FAULT_STATUSES: Partial<Record<GitFaultKind, number>> = {
  denied: 403,
  "not-found": 404,
  throttled: 429,
  "server-error": 500,
};

/**
 * `GET /git/NAME.git/pull-requests`, `GET …/pull-requests/<number>/files`, `PUT …/pull-requests/<number>/comment`,
 * `POST …/deployments` and `PUT …/statuses`.
 */
export function registerPullRequestRoutes(fastify: FastifyInstance, host: GitHost): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  const { repositories, pullRequests, reports, faults } = host;
  /** The open lists as last answered, and as they were before they changed. */
  const lists = new Map<string, { readonly present: string; readonly before: string }>();

  const open = (directory: string): GitRepository | null =>
    directory.endsWith(".git") ? repositories.open(directory.slice(0, -".git".length)) : null;
  /** Answers instead of the route if the repository is missing, or a fault strikes. */
  const guard = (operation: GitOperation) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { repository } = request.params as { readonly repository: string };
    const found = open(repository);
    if (found === null) return await refuse(reply, 404, "There is no such repository.");
    const kind = faults.strike(operation, found.name);
    const status = kind === null ? undefined : FAULT_STATUSES[kind];
    if (kind === "stale") reply.header("slipway-stale", "1");
    if (status === undefined) return undefined;
    if (status === 429) reply.header("retry-after", RETRY_AFTER_SECONDS);
    return await refuse(reply, status, "A fault that was set for this repository.");
  };
  /** The guard has answered if there is none. */
  const nameOf = ({ params }: { readonly params: { readonly repository: string } }): string =>
    open(params.repository)?.name ?? "";

  app.get(
    "/git/:repository/pull-requests",
    { schema: { params: Repository }, preHandler: guard("pullRequests.list") },
    async (request, reply) => {
      const name = nameOf(request);
      const found = await pullRequests.list(name, "open");
      const present = JSON.stringify(found.map((one) => viewPullRequest(host, one)));
      const known = lists.get(name) ?? { present, before: present };
      const list = known.present === present ? known : { present, before: known.present };
      lists.set(name, list);
      const body = reply.hasHeader("slipway-stale") ? list.before : list.present;
      const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
      reply.header("etag", tag);
      if (request.headers["if-none-match"] === tag) return await reply.status(304).send();
      return await reply.type("application/json").send(body);
    },
  );

  app.get(
    "/git/:repository/pull-requests/:number/files",
    {
      schema: { params: PullRequest },
      preHandler: guard("pullRequests.files"),
    },
    async (request, reply) => {
      try {
        const found = await pullRequests.get(nameOf(request), Number(request.params.number));
        return await reply.send({ paths: found === null ? null : await pullRequests.listFiles(found) });
      } catch (error) {
        if (!(error instanceof RepositoryFault)) throw error;
        return await refuse(reply.header("slipway-fault", error.code), 422, error.message);
      }
    },
  );

  app.put(
    "/git/:repository/pull-requests/:number/comment",
    {
      schema: { params: PullRequest, body: closed({ id: OrNull, marker: Text, text: Text }) },
      preHandler: guard("comments.write"),
    },
    async (request, reply) => {
      const [name, number] = [nameOf(request), Number(request.params.number)];
      if ((await pullRequests.get(name, number)) === null)
        return await refuse(reply, 410, "There is no such pull request.");
      return await reply.send({ id: reports.writeComment(name, { ...request.body, number }) });
    },
  );

  app.post(
    "/git/:repository/deployments",
    {
      schema: {
        params: Repository,
        body: closed({
          id: OrNull,
          commit: Text,
          ref: Text,
          environment: Text,
          isPreview: Type.Boolean(),
          state: Type.Enum([...DEPLOYMENT_STATES]),
          url: OrNull,
          logUrl: OrNull,
          description: Text,
        }),
      },
      preHandler: guard("deployments.report"),
    },
    (request) => ({ id: reports.addDeployment(nameOf(request), request.body) }),
  );

  app.put(
    "/git/:repository/statuses",
    {
      schema: {
        params: Repository,
        body: closed({
          commit: Text,
          context: Text,
          state: Type.Enum(["pending", "success", "failure"]),
          url: OrNull,
          description: Text,
        }),
      },
      preHandler: guard("statuses.report"),
    },
    async (request, reply) => {
      reports.setStatus(nameOf(request), request.body);
      return await reply.send({});
    },
  );
}

async function refuse(reply: FastifyReply, status: number, message: string): Promise<FastifyReply> {
  return await reply.status(status).type("text/plain; charset=utf-8").send(`${message}\n`);
}
