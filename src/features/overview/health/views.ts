import { Type } from "typebox";
import { Id, Nullable, NullableInstant, Text, Words } from "../../../http/schemas.ts";
import { HEALTHS, type ServiceHealth } from "./health.ts";
import { shortHash } from "../../../lib/short-hash.ts";

export const ServiceHealthSchema = Type.Object(
  {
    serviceId: Id("svc", "The service."),
    health: Words(HEALTHS, {
      title: "ServiceHealthState",
      description:
        "`RUNNING`: the platform says that the live release runs and passes its health check. `FAILING`: it says that it does not. `NOT_DEPLOYED`: nothing was released yet. `UNKNOWN`: the platform does not tell, as AWS, or could not be asked.",
      examples: ["RUNNING"],
    }),
    problem: Nullable(Text("Why it fails, or why its health is not known.", null)),
    urls: Type.Array(Type.String(), {
      description:
        "Where people reach it: some of its domains, or else the host of its distribution, once something is live.",
      examples: [["https://www.example.com"]],
    }),
    internalUrl: Nullable(
      Text("Where other services of its environment reach it; null for a worker.", "http://10.0.1.7:3000"),
    ),
    live: Nullable(
      Type.Object(
        {
          deploymentId: Id("depl", "The deployment that released it."),
          branch: Text("The deployed branch.", "main"),
          commit: Text("The first 7 digits of its commit.", "9fceb02"),
          commitHash: Text("Its commit.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
          commitMessage: Nullable(Text("The commit's message, if it is known.", "Show the price with tax")),
          commitAuthor: Nullable(Text("The name of the commit's author, if it is known.", "Ada Lovelace")),
          releasedAt: NullableInstant("When it went live.", "2026-11-20T09:53:40.000Z"),
        },
        { title: "LiveRelease", description: "What runs as a service." },
      ),
    ),
  },
  { title: "ServiceHealth", description: "How a service does at this moment." },
);

export function viewServiceHealth({ serviceId, health, problem, urls, live }: ServiceHealth) {
  return {
    serviceId,
    health,
    problem,
    urls: [...urls],
    internalUrl: live?.release.url ?? null,
    live: live === null ? null : viewLive(live),
  };
}

function viewLive({ release, deployment }: NonNullable<ServiceHealth["live"]>) {
  const { branch, commitHash, commitMessage, commitAuthor } = deployment;
  return {
    deploymentId: release.deploymentId,
    branch,
    commit: shortHash(commitHash),
    commitHash,
    commitMessage,
    commitAuthor,
    releasedAt: release.endedAt?.toISOString() ?? null,
  };
}
