import { Type } from "typebox";
import { Id, Instant, Nullable, NullableInstant, Text, Words } from "../../../http/schemas.ts";
import { type ServiceTraffic, TRAFFIC_SOURCES } from "./traffic.ts";

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const ServiceTrafficSchema = Type.Object(
  {
    serviceId: Id("svc", "The service."),
    source: Nullable(
      Words(TRAFFIC_SOURCES, {
        title: "TrafficSource",
        description:
          "Who counted. `SANDBOX`: the sandbox's edge, since it started. `CLOUDFRONT`: the metrics of CloudFront, which come some minutes late. Null: nothing is known, not even that there were no requests.",
        examples: ["SANDBOX"],
      }),
    ),
    problem: Nullable(Text("Why nothing is known.", null)),
    stepSeconds: Type.Integer({
      minimum: 60,
      description: "How many seconds of requests each point sums.",
      examples: [900],
    }),
    from: NullableInstant("What came before is not known.", "2026-11-20T08:00:00.000Z"),
    until: NullableInstant("What came after is not told yet.", "2026-11-20T09:53:40.000Z"),
    points: Type.Array(
      Type.Object(
        {
          at: Instant("When the step began.", "2026-11-20T09:45:00.000Z"),
          requests: Count("Requests to all distributions of the service.", 1_204),
          clientErrors: Count("Those answered with a status of 400 to 499.", 12),
          serverErrors: Count("Those answered with a status of 500 or more.", 0),
        },
        { title: "TrafficPoint", description: "Requests in one step of time." },
      ),
      { description: "Every step from `from` to `until`, oldest first, those without requests too." },
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
