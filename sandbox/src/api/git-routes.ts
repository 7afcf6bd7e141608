/** `/sandbox/git/…` for people and tests: pull requests, what Slipway reported, deliveries and their faults. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { GIT_PROVIDERS } from "../../../src/git/git.ts";
import { AppError, COMMON_ERRORS } from "../../../src/lib/errors.ts";
import { faultBody } from "../faults.ts";
import { type GitHost, viewPullRequest } from "../git/git-host.ts";
import { GIT_FAULT_KINDS, GIT_OPERATIONS } from "../git/git-faults.ts";
import { RepositoryFault } from "../git/objects.ts";
import {
  type PullRequest,
  PULL_REQUEST_NUMBER,
  PULL_REQUEST_STATES,
  requireRepository,
} from "../git/pull-requests.ts";
import { closed } from "../protocol.ts";
import type { SandboxState } from "../state.ts";
import { callerOf } from "./callers.ts";

const REPOSITORY = "/sandbox/git/repositories/:name";
const Name = Type.String({ maxLength: 100 });
const Repository = Type.Object({ name: Name });
const Numbered = Type.Object({ name: Name, number: Type.String({ pattern: PULL_REQUEST_NUMBER.source }) });
const Branch = Type.String({ minLength: 1, maxLength: 255 });
const Title = Type.String({ minLength: 1, maxLength: 500 });
const State = Type.Enum([...PULL_REQUEST_STATES]);

export function registerGitAdminRoutes(fastify: FastifyInstance, host: GitHost, state: SandboxState): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  const { repositories, pullRequests, reports, deliveries, faults } = host;
  /** The organization that first changed what a repository has here. */
  const owners = state.collection<{ readonly organizationId: string }>("git-owners");

  /** @throws AppError `NOT_FOUND`, also for a repository that another organization has changed here */
  const nameOf = (request: FastifyRequest, isWrite: boolean): string => {
    const { name: requested } = request.params as { readonly name: string };
    const { name } = requireRepository(repositories, requested);
    const { organizationId } = callerOf(request);
    if (organizationId === null) return name;
    const owner = owners.get(name)?.organizationId;
    if (owner === undefined && isWrite) owners.put(name, { organizationId });
    if (owner !== undefined && owner !== organizationId)
      throw new AppError(COMMON_ERRORS.NOT_FOUND, `Another organization uses the repository ${name}.`);
    return name;
  };
  const view = async (one: PullRequest) => ({
    ...viewPullRequest(host, one),
    files: await pullRequests.listFiles(one).catch((error: unknown) => {
      if (error instanceof RepositoryFault) return null;
      throw error;
    }),
    deployments: reports
      .listDeployments(one.repository)
      .filter(({ ref, commit }) => ref === one.head || commit === one.headCommit),
    statuses: reports.listStatuses(one.repository).filter(({ commit }) => commit === one.headCommit),
    comments: reports.listComments(one.repository, one.number),
  });

  app.get(
    `${REPOSITORY}/pull-requests`,
    {
      schema: { params: Repository, querystring: closed({ state: Type.Optional(State) }) },
    },
    async (request) => {
      const listed = await pullRequests.list(nameOf(request, false), request.query.state ?? null);
      return { pullRequests: listed.map((one) => viewPullRequest(host, one)) };
    },
  );

  app.get(`${REPOSITORY}/pull-requests/:number`, { schema: { params: Numbered } }, async (request) => {
    const { number } = request.params;
    const found = await pullRequests.get(nameOf(request, false), Number(number));
    if (found === null)
      throw new AppError(COMMON_ERRORS.NOT_FOUND, `The repository has no pull request ${number}.`);
    return await view(found);
  });

  app.put(
    `${REPOSITORY}/pull-requests/:number`,
    {
      schema: {
        params: Numbered,
        body: closed({
          head: Branch,
          base: Branch,
          headRepository: Type.Optional(Type.Union([Name, Type.Null()])),
          author: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()])),
          labels: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 })),
          title: Type.Optional(Title),
          state: State,
        }),
      },
    },
    async (request) => {
      const name = nameOf(request, true);
      return await view(await pullRequests.put(name, Number(request.params.number), request.body));
    },
  );

  app.delete(
    `${REPOSITORY}/pull-requests/:number/comments/:id`,
    { schema: { params: Type.Object({ ...Numbered.properties, id: Type.String() }) } },
    async (request, reply) => {
      const { number, id } = request.params;
      if (!reports.deleteComment(nameOf(request, true), Number(number), id))
        throw new AppError(COMMON_ERRORS.NOT_FOUND, "The pull request has no such comment.");
      return await reply.status(204).send();
    },
  );

  app.get(`${REPOSITORY}/reports`, { schema: { params: Repository } }, (request) => {
    const name = nameOf(request, false);
    return { deployments: reports.listDeployments(name), statuses: reports.listStatuses(name) };
  });

  app.put(
    `${REPOSITORY}/hook`,
    {
      schema: {
        params: Repository,
        body: closed({
          provider: Type.Enum([...GIT_PROVIDERS]),
          secret: Type.String({ minLength: 1, maxLength: 200 }),
        }),
      },
    },
    async (request, reply) => {
      deliveries.setHook(nameOf(request, true), request.body);
      return await reply.status(204).send();
    },
  );

  app.delete(`${REPOSITORY}/hook`, { schema: { params: Repository } }, async (request, reply) => {
    deliveries.removeHook(nameOf(request, true));
    return await reply.status(204).send();
  });

  app.get(`${REPOSITORY}/deliveries`, { schema: { params: Repository } }, (request) => ({
    deliveries: deliveries.list(nameOf(request, false)),
  }));

  app.put(
    `${REPOSITORY}/faults`,
    { schema: { params: Repository, body: faultBody(GIT_OPERATIONS, GIT_FAULT_KINDS) } },
    async (request, reply) => {
      faults.set(request.body, nameOf(request, true));
      return await reply.status(204).send();
    },
  );

  app.delete(`${REPOSITORY}/faults`, { schema: { params: Repository } }, async (request, reply) => {
    faults.clear(nameOf(request, true));
    return await reply.status(204).send();
  });
}
