/** What the routes for Slipway's git client answer alike. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GitRepositories, GitRepository } from "./git-repositories.ts";
import { RepositoryFault } from "./objects.ts";

/** The code of a fault of the repository, with the status 422. */
const FAULT_HEADER = "slipway-fault";

/** The repository in an address, such as `demo.git`. */
export function openAddressed(repositories: GitRepositories, directory: string): GitRepository | null {
  return directory.endsWith(".git") ? repositories.open(directory.slice(0, -".git".length)) : null;
}

export function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.status(status).type("text/plain; charset=utf-8").send(`${message}\n`);
}

export function refuseMissing(reply: FastifyReply): FastifyReply {
  return refuse(reply, 404, "There is no such repository.");
}

/** For routes that read objects of a repository. */
export const REFUSING_FAULTS = {
  errorHandler(error: unknown, _request: FastifyRequest, reply: FastifyReply) {
    if (!(error instanceof RepositoryFault)) throw error;
    return refuse(reply.header(FAULT_HEADER, error.code), 422, error.message);
  },
};
