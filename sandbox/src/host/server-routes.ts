/** `/host/state` and `/host/backup`, for Slipway: the state of the server, and a copy of its folder. */
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { Acme } from "../acme/start-acme.ts";
import type { Stacks } from "../accounts/stacks.ts";
import type { Edges } from "../api/edge-routes.ts";
import type { SandboxState } from "../state.ts";
import { writeHostLines } from "./backup-stream.ts";
import { OWNER } from "./own-certificates.ts";
import { readServerState, type StateParts } from "./read-server-state.ts";

/** The scope requires Slipway's secret. */
export function registerServerRoutes(
  scope: FastifyInstance,
  parts: Pick<StateParts, "hostname" | "challengeZone" | "valueStore" | "main"> & {
    readonly state: SandboxState;
    readonly dataDir: string;
    readonly acme: Acme;
    readonly stacks: Pick<Stacks, "list">;
    readonly edges: Edges | null;
    readonly now: () => number;
  },
): void {
  const { state, dataDir, acme, stacks, edges, now, ...place } = parts;
  scope.get("/host/state", (request) => {
    const isProbed = new URL(request.url, "http://host").searchParams.get("probe") !== "no";
    return readServerState({
      ...place,
      acme: acme.status(),
      edges: edges?.list() ?? [],
      findZoneProblem: isProbed ? () => acme.findZoneProblem() : null,
      organizations: new Map(
        stacks.list().map(({ accountId, organizationId = null }) => [accountId, organizationId]),
      ),
      ownAccount: OWNER,
      now: now(),
    });
  });
  scope.get("/host/backup", (_request, reply) =>
    reply.type("application/x-ndjson").send(Readable.from(writeHostLines(state, dataDir))),
  );
}
