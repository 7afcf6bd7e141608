/** What Slipway reads and reports about pull requests of the sandbox's repositories, over HTTP. */
import { createHash } from "node:crypto";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { DEPLOYMENT_STATES, STATUS_STATES } from "../../../src/git/pull-requests.ts";
import { closed } from "../protocol.ts";
import { openAddressed, refuse, refuseMissing, REFUSING_FAULTS } from "./git-answers.ts";
import type { GitFaultKind, GitOperation } from "./git-faults.ts";
import { type GitHost, viewPullRequest } from "./git-host.ts";
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
  gone: 410,
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

  /** The repository of a request, and the fault that struck it; null if that answered the request. */
  const admit = (
    operation: GitOperation,
    request: { readonly params: { readonly repository: string } },
    reply: FastifyReply,
  ): { readonly name: string; readonly fault: GitFaultKind | null } | null => {
    const found = openAddressed(repositories, request.params.repository);
    if (found === null) {
      refuseMissing(reply);
      return null;
    }
    const fault = faults.strike(operation, found.name);
    const status = fault === null ? undefined : FAULT_STATUSES[fault];
    if (status === undefined) return { name: found.name, fault };
    if (status === 429) reply.header("retry-after", RETRY_AFTER_SECONDS);
    refuse(reply, status, "A fault that was set for this repository.");
    return null;
  };

  app.get("/git/:repository/pull-requests", { schema: { params: Repository } }, async (request, reply) => {
    const admitted = admit("pullRequests.list", request, reply);
    if (admitted === null) return reply;
    const { name, fault } = admitted;
    const found = await pullRequests.list(name, "open");
    const present = JSON.stringify(found.map((one) => viewPullRequest(host, one)));
    const known = lists.get(name) ?? { present, before: present };
    const list = known.present === present ? known : { present, before: known.present };
    lists.set(name, list);
    const body = fault === "stale" ? list.before : list.present;
    const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    reply.header("etag", tag);
    if (request.headers["if-none-match"] === tag) return await reply.status(304).send();
    return await reply.type("application/json").send(body);
  });

  app.get(
    "/git/:repository/pull-requests/:number/files",
    { schema: { params: PullRequest }, ...REFUSING_FAULTS },
    async (request, reply) => {
      const admitted = admit("pullRequests.files", request, reply);
      if (admitted === null) return reply;
      const found = await pullRequests.get(admitted.name, Number(request.params.number));
      return await reply.send({ paths: found === null ? null : await pullRequests.listFiles(found) });
    },
  );

  app.put(
    "/git/:repository/pull-requests/:number/comment",
    { schema: { params: PullRequest, body: closed({ id: OrNull, marker: Text, text: Text }) } },
    async (request, reply) => {
      const admitted = admit("comments.write", request, reply);
      if (admitted === null) return reply;
      const { name } = admitted;
      const number = Number(request.params.number);
      if ((await pullRequests.get(name, number)) === null)
        return refuse(reply, 410, "There is no such pull request.");
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
    },
    async (request, reply) => {
      const admitted = admit("deployments.report", request, reply);
      if (admitted === null) return reply;
      return await reply.send({ id: reports.addDeployment(admitted.name, request.body) });
    },
  );

  app.put(
    "/git/:repository/statuses",
    {
      schema: {
        params: Repository,
        body: closed({
          commit: Text,
          context: Text,
          state: Type.Enum([...STATUS_STATES]),
          url: OrNull,
          description: Text,
        }),
      },
    },
    async (request, reply) => {
      const admitted = admit("statuses.report", request, reply);
      if (admitted === null) return reply;
      reports.setStatus(admitted.name, request.body);
      return await reply.send({});
    },
  );
}
