import { Type } from "typebox";
import { Id, Instant, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { HEALTHS, type ServiceHealth } from "./health.ts";
import { type ServiceTraffic, TRAFFIC_SOURCES } from "./traffic.ts";

export const ServiceHealthSchema = Type.Object(
  {
    serviceId: Id("svc", "The service."),
    health: Words(HEALTHS, {
      title: "ServiceHealthState",
      description:
        "`RUNNING`: the platform says that the live release runs and passes its health check. `FAILING`: the platform says that it does not. `SLEEPING`: it is stopped because its preview got no request for a while; the next one starts it. `NOT_DEPLOYED`: nothing was released yet. `UNKNOWN`: the platform does not report it, such as AWS, or could not be asked.",
      examples: ["RUNNING"],
    }),
    problem: Nullable(Text("Why it fails, or why its health is not known.", null)),
    urls: Type.Array(Type.String(), {
      description:
        "Its public addresses, once something is live: some of its domains, otherwise the host of its distribution.",
      examples: [["https://www.example.com"]],
    }),
    internalUrl: Nullable(
      Text("Its address for other services of its environment; null for a worker.", "http://10.0.1.7:3000"),
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
        { title: "LiveRelease", description: "The live release of a service." },
      ),
    ),
  },
  { title: "ServiceHealth", description: "The present health of a service." },
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

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const ServiceTrafficSchema = Type.Object(
  {
    serviceId: Id("svc", "The service."),
    source: Nullable(
      Words(TRAFFIC_SOURCES, {
        title: "TrafficSource",
        description:
          "The source of the counts. `SANDBOX` and `EDGE`: the edge of the sandbox, or of the own server, since it started. `CLOUDFRONT`: the metrics of CloudFront, which are some minutes late. Null: there are no counts, and requests may have been made.",
        examples: ["SANDBOX"],
      }),
    ),
    problem: Nullable(Text("Why there are no counts; null if there are.", null)),
    stepSeconds: Type.Integer({
      minimum: 60,
      description: "The length of a step, in seconds.",
      examples: [900],
    }),
    from: NullableInstant("The beginning of the counted time.", "2026-11-20T08:00:00.000Z"),
    until: NullableInstant(
      "The end of the counted time. Later requests are not counted yet.",
      "2026-11-20T09:53:40.000Z",
    ),
    points: Type.Array(
      Type.Object(
        {
          at: Instant("When the step began.", "2026-11-20T09:45:00.000Z"),
          requests: Count("Requests to all distributions of the service.", 1_204),
          clientErrors: Count("Requests answered with a status of 400 to 499.", 12),
          serverErrors: Count("Requests answered with a status of 500 or more.", 0),
        },
        { title: "TrafficPoint", description: "Requests in one step of time." },
      ),
      { description: "Every step from `from` to `until`, oldest first, including steps without requests." },
    ),
  },
  { title: "ServiceTraffic", description: "Requests to a service, as its cloud counted them." },
);

export function viewServiceTraffic(traffic: ServiceTraffic) {
  const { serviceId, stepSeconds, source } = traffic;
  if (source === null)
    return { serviceId, source, problem: traffic.problem, stepSeconds, from: null, until: null, points: [] };
  return {
    serviceId,
    source,
    problem: null,
    stepSeconds,
    from: traffic.from.toISOString(),
    until: traffic.until.toISOString(),
    points: traffic.points.map((point) => ({ ...point, at: point.at.toISOString() })),
  };
}
