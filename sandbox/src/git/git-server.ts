/**
 * What Slipway reads of the sandbox's repositories over HTTP: references as git's smart protocol advertises them
 * (version 0, git's `gitprotocol-http`), files and commits. Builds read objects from the disk; nothing is fetched here.
 */
import type { FastifyInstance } from "fastify";
import { openAddressed, refuse, refuseMissing, REFUSING_FAULTS } from "./git-answers.ts";
import type { GitRepositories, GitRepository } from "./git-repositories.ts";
import { OID } from "./objects.ts";

const FLUSH = "0000";
const NO_COMMIT = "0".repeat(40);
/** Commits of a history in one answer. */
const LOG_MAX = 100;
const AGENT = "agent=slipway-sandbox";

type RepositoryParams = { readonly Params: { readonly repository: string } };

/**
 * `GET /git`, `GET /git/NAME.git/info/refs`, `GET …/raw/<commit>/<path>`, `GET …/tree/<commit>/<path>`,
 * `GET …/commits/<commit>`, `…/log/<commit>` and `…/compare/<from>/<to>`.
 */
export function registerGitRoutes(app: FastifyInstance, repositories: GitRepositories): void {
  const open = (directory: string) => openAddressed(repositories, directory);

  app.get("/git", async () => {
    const names = await repositories.listNames();
    return await Promise.all(
      names.map(async (name) => {
        const repository = repositories.open(name);
        const head = (await repository?.readHeadTarget()) ?? null;
        return {
          name,
          defaultBranch: head === null ? null : head.slice("refs/heads/".length),
          lastPushedAt: (await repository?.readLastPush()) ?? null,
        };
      }),
    );
  });

  app.get<RepositoryParams & { Querystring: { service?: string } }>(
    "/git/:repository/info/refs",
    async (request, reply) => {
      if (request.query.service !== "git-upload-pack") {
        return refuse(reply, 403, "HTTP is for reading only. Push to the repository by its path on disk.");
      }
      const repository = open(request.params.repository);
      if (repository === null) return refuseMissing(reply);
      return reply
        .header("cache-control", "no-cache")
        .type("application/x-git-upload-pack-advertisement")
        .send(await advertise(repository));
    },
  );

  app.get<{ Params: { repository: string; commit: string } }>(
    "/git/:repository/commits/:commit",
    REFUSING_FAULTS,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return refuseMissing(reply);
      const { commit } = request.params;
      const found = OID.test(commit) ? await repository.readCommit(commit) : null;
      return found === null ? refuse(reply, 404, "There is no such commit.") : reply.send(found);
    },
  );

  app.get<{ Params: { repository: string; commit: string }; Querystring: { limit?: string } }>(
    "/git/:repository/log/:commit",
    REFUSING_FAULTS,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return refuseMissing(reply);
      const { commit } = request.params;
      const limit = Math.min(LOG_MAX, Number(request.query.limit ?? LOG_MAX) || LOG_MAX);
      return reply.send(OID.test(commit) ? await repository.readLog(commit, limit) : []);
    },
  );

  app.get<{ Params: { repository: string; from: string; to: string } }>(
    "/git/:repository/compare/:from/:to",
    REFUSING_FAULTS,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return refuseMissing(reply);
      const { from, to } = request.params;
      const isPossible = OID.test(from) && OID.test(to);
      return reply.send({ paths: isPossible ? await repository.listChanges(from, to) : null });
    },
  );

  app.get<{ Params: { repository: string; commit: string; "*": string } }>(
    "/git/:repository/tree/:commit/*",
    REFUSING_FAULTS,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return refuseMissing(reply);
      const { commit } = request.params;
      const found = OID.test(commit) ? await repository.listFolder(commit, request.params["*"]) : null;
      return found === null
        ? refuse(reply, 404, "There is no such folder at that commit.")
        : reply.send(found);
    },
  );

  app.get<{ Params: { repository: string; commit: string; "*": string } }>(
    "/git/:repository/raw/:commit/*",
    REFUSING_FAULTS,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return refuseMissing(reply);
      const { commit } = request.params;
      const found = OID.test(commit) ? await repository.read(commit, request.params["*"]) : null;
      if (found === null || found === "tree")
        return refuse(reply, 404, "There is no such file at that commit.");
      return reply
        .header("x-content-type-options", "nosniff")
        .type("application/octet-stream")
        .send(Buffer.from(found.bytes));
    },
  );
}

async function advertise(repository: GitRepository): Promise<Buffer> {
  const [refs, head] = await Promise.all([repository.listRefs(), repository.readHeadTarget()]);
  const capabilities = [...(head === null ? [] : [`symref=HEAD:${head}`]), AGENT].join(" ");
  const [first, ...rest] = refs;
  const firstLine =
    first === undefined
      ? `${NO_COMMIT} capabilities^{}\0${capabilities}\n`
      : `${first.oid} ${first.name}\0${capabilities}\n`;
  return Buffer.concat([
    packetLine("# service=git-upload-pack\n"),
    Buffer.from(FLUSH),
    packetLine(firstLine),
    ...rest.map((ref) => packetLine(`${ref.oid} ${ref.name}\n`)),
    Buffer.from(FLUSH),
  ]);
}

/** Four hexadecimal digits of length, themselves counted, then the content. */
function packetLine(content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}
