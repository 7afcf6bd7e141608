/**
 * Git's smart HTTP protocol, version 0, for reading (git's `gitprotocol-http` and `gitprotocol-pack`): a reference
 * advertisement, and packs with everything that the client wants. It negotiates no common history, because sandbox
 * repositories are small.
 */
import { gunzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GitRepositories, GitRepository } from "./git-repositories.ts";
import { RepositoryFault } from "./objects.ts";

const FLUSH = "0000";
const NO_COMMIT = "0".repeat(40);
const AGENT = "agent=slipway-sandbox";
/** The code of a fault of the repository, with the status 422. */
const FAULT_HEADER = "slipway-fault";
const MAX_INFLATED_REQUEST_BYTES = 4 * 1024 * 1024;

type RepositoryParams = { readonly Params: { readonly repository: string } };

/** `GET /git`, `GET /git/NAME.git/info/refs`, `POST …/git-upload-pack`, `GET …/raw/<commit>/<path>` and `GET …/commits/<commit>`. */
export function registerGitRoutes(app: FastifyInstance, repositories: GitRepositories): void {
  const open = (directory: string): GitRepository | null =>
    directory.endsWith(".git") ? repositories.open(directory.slice(0, -".git".length)) : null;
  const refuse = (reply: FastifyReply, status: number, message: string) =>
    reply.status(status).type("text/plain; charset=utf-8").send(`${message}\n`);
  const noRepository = (reply: FastifyReply) => refuse(reply, 404, "There is no such repository.");

  const refusingFaults = {
    errorHandler(error: unknown, _request: FastifyRequest, reply: FastifyReply) {
      if (!(error instanceof RepositoryFault)) throw error;
      return refuse(reply.header(FAULT_HEADER, error.code), 422, error.message);
    },
  };

  app.addContentTypeParser(
    "application/x-git-upload-pack-request",
    { parseAs: "buffer" },
    (_request, body, done) => done(null, body),
  );

  app.get("/git", async () => {
    const names = await repositories.listNames();
    return await Promise.all(
      names.map(async (name) => {
        const head = (await repositories.open(name)?.readHeadTarget()) ?? null;
        return { name, defaultBranch: head === null ? null : head.slice("refs/heads/".length) };
      }),
    );
  });

  app.get<RepositoryParams & { Querystring: { service?: string } }>(
    "/git/:repository/info/refs",
    async (request, reply) => {
      if (request.query.service !== "git-upload-pack") {
        return refuse(reply, 403, "HTTP is for fetching only. Push to the repository by its path on disk.");
      }
      const repository = open(request.params.repository);
      if (repository === null) return noRepository(reply);
      return reply
        .header("cache-control", "no-cache")
        .type("application/x-git-upload-pack-advertisement")
        .send(await advertise(repository));
    },
  );

  app.post<RepositoryParams>("/git/:repository/git-upload-pack", refusingFaults, async (request, reply) => {
    const repository = open(request.params.repository);
    if (repository === null) return noRepository(reply);
    if (!Buffer.isBuffer(request.body)) return refuse(reply, 415, "This is not a git-upload-pack request.");
    // git compresses requests larger than a kilobyte.
    const body =
      request.headers["content-encoding"] === "gzip"
        ? gunzipSync(request.body, { maxOutputLength: MAX_INFLATED_REQUEST_BYTES })
        : request.body;
    const lines = readPacketLines(body);
    const wants = lines.flatMap((line) => /^want ([0-9a-f]{40})/.exec(line)?.[1] ?? []);
    const advertised = new Set((await repository.listRefs()).map((ref) => ref.oid));
    if (wants.length === 0 || !wants.every((oid) => advertised.has(oid))) {
      return refuse(reply, 400, "Ask for commits that a reference points to.");
    }
    reply.header("cache-control", "no-cache").type("application/x-git-upload-pack-result");
    // Without `done` the client only asks for common commits; we always answer that there are none.
    if (!lines.includes("done")) return reply.send(packetLine("NAK\n"));
    const pack = await repository.pack(wants);
    const isSideBanded = /^want [0-9a-f]{40}.* side-band-64k\b/.test(lines[0] ?? "");
    return reply.send(Buffer.concat([packetLine("NAK\n"), ...(isSideBanded ? sideBand(pack) : [pack])]));
  });

  app.get<{ Params: { repository: string; commit: string } }>(
    "/git/:repository/commits/:commit",
    refusingFaults,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return noRepository(reply);
      const { commit } = request.params;
      const found = /^[0-9a-f]{40}$/.test(commit) ? await repository.readCommit(commit) : null;
      return found === null ? refuse(reply, 404, "There is no such commit.") : reply.send(found);
    },
  );

  app.get<{ Params: { repository: string; commit: string; "*": string } }>(
    "/git/:repository/raw/:commit/*",
    refusingFaults,
    async (request, reply) => {
      const repository = open(request.params.repository);
      if (repository === null) return noRepository(reply);
      const { commit } = request.params;
      const found = /^[0-9a-f]{40}$/.test(commit) ? await repository.read(commit, request.params["*"]) : null;
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
  const capabilities = [...(head === null ? [] : [`symref=HEAD:${head}`]), "side-band-64k", AGENT].join(" ");
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
function packetLine(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}

/** A pack in packet lines of band 1 (data), closed by a flush; some clients read no other form. */
function sideBand(pack: Uint8Array): Buffer[] {
  const maxContentBytes = 65_520 - 5;
  const lines: Buffer[] = [];
  for (let at = 0; at < pack.length; at += maxContentBytes) {
    lines.push(packetLine(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + maxContentBytes)])));
  }
  return [...lines, Buffer.from(FLUSH)];
}

/** The lines of a request without their line ends; flush packets are left out. */
function readPacketLines(body: Buffer): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= body.length;) {
    const length = Number.parseInt(body.toString("latin1", at, at + 4), 16);
    if (Number.isNaN(length)) break;
    if (length >= 4) lines.push(body.toString("utf8", at + 4, at + length).replace(/\n$/, ""));
    at += Math.max(4, length);
  }
  return lines;
}
