import type { CloudKind, Traffic } from "../../cloud/cloud.ts";

/** Who counted the requests. */
export const TRAFFIC_SOURCES = ["SANDBOX", "EDGE", "CLOUDFRONT"] as const;
export type TrafficSource = (typeof TRAFFIC_SOURCES)[number];

export const TRAFFIC_SOURCE_OF: Readonly<Record<CloudKind, TrafficSource>> = {
  sandbox: "SANDBOX",
  host: "EDGE",
  aws: "CLOUDFRONT",
};

/** Requests to a service in equal steps of time. */
export type ServiceTraffic = {
  readonly serviceId: string;
  readonly stepSeconds: number;
} & (
  | {
      readonly source: TrafficSource;
      /** The time that is known. A first or last step that reaches beyond it holds only the requests counted in it. */
      readonly from: Date;
      readonly until: Date;
      readonly points: readonly TrafficPoint[];
    }
  /** Nothing is known: not even that there were no requests. */
  | { readonly source: null; readonly problem: string }
);

export type TrafficPoint = {
  /** When the step began. */
  readonly at: Date;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
};

const MINUTE_S = 60;

/** As many steps as a picture shows: 60 of an hour, at most 96 of a day. */
export function stepSecondsOf(hours: number): number {
  if (hours <= 1) return MINUTE_S;
  return hours <= 6 ? 5 * MINUTE_S : 15 * MINUTE_S;
}

/** Every step from the first to the last that something is known of, those without requests too. */
export function pointsOf({ from, until, minutes }: Traffic, stepSeconds: number): readonly TrafficPoint[] {
  const stepMs = stepSeconds * 1_000;
  const beginOf = (at: Date): number => at.getTime() - (at.getTime() % stepMs);
  const bySteps = Map.groupBy(minutes, ({ at }) => beginOf(at));
  const points: TrafficPoint[] = [];
  for (let at = beginOf(from); at < until.getTime(); at += stepMs) {
    const own = bySteps.get(at) ?? [];
    points.push({
      at: new Date(at),
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      clientErrors: own.reduce((sum, { clientErrors }) => sum + clientErrors, 0),
      serverErrors: own.reduce((sum, { serverErrors }) => sum + serverErrors, 0),
    });
  }
  return points;
}
