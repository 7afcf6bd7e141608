import type { Service, TrafficPoint, TrafficSource } from "../../../sdk/src/generated/types.ts";
import { trafficColumns } from "../api/pictures.ts";
import { read, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { ColumnChart, type Series } from "../ui/chart.tsx";
import { type Figure, Figures } from "../ui/figures.tsx";
import { Empty, Fine } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import css from "./service-traffic.module.css";

const HOURS = 24;
/** Requests emit no events, so the traffic is read again every minute. */
const EVERY_MS = 60_000;
const OUTCOMES: readonly Series[] = [
  { label: "Answered", tone: "good" },
  { label: "Refused (4xx)", tone: "todo" },
  { label: "Failed (5xx)", tone: "bad" },
];
const COUNTED: Readonly<Record<TrafficSource, string>> = {
  SANDBOX: "Counted by the sandbox",
  EDGE: "Counted by this server's edge",
  CLOUDFRONT: "Counted by CloudFront, which reports some minutes late,",
};

/** How many requests the service got in a day, and how many of them failed. */
export function ServiceTraffic({ service: { id, settings } }: { readonly service: Service }) {
  const { data, error } = useLater(read("services", "getTraffic", id, { hours: HOURS }));
  useRefresh("services", "getTraffic", EVERY_MS, true);
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data?.source === null) return <Empty title="Its requests are not counted.">{data.problem ?? ""}</Empty>;
  return (
    <>
      <Figures
        label={`Last ${HOURS} hours`}
        of={[...figuresOf(data?.points ?? null), ...instancesOf(settings)]}
      />
      <Fine>
        {data === undefined ? (
          "\u00a0"
        ) : (
          <>
            {COUNTED[data.source]} since <When at={data.from} />.
          </>
        )}
      </Fine>
      {/* A day is too short for a chart at first sight. This one answers which hour had the errors. */}
      <details className={css["hours"]}>
        <summary>Requests by time</summary>
        <ColumnChart
          title={`Requests, last ${HOURS} hours`}
          step="From"
          series={OUTCOMES}
          points={data === undefined ? null : trafficColumns(data.points)}
          empty="No requests yet."
        />
      </details>
    </>
  );
}

const number = new Intl.NumberFormat("en");
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });

function figuresOf(points: readonly TrafficPoint[] | null): readonly Figure[] {
  const sum = (count: (point: TrafficPoint) => number) =>
    points?.reduce((total, point) => total + count(point), 0) ?? null;
  const all = sum(({ requests }) => requests);
  const part = (label: string, count: number | null): Figure => ({
    label,
    value: count === null ? null : number.format(count),
    ...(count === null || all === null || all === 0
      ? {}
      : { detail: `${percent.format(count / all)} of all` }),
  });
  return [
    { label: "Requests", value: all === null ? null : number.format(all) },
    part(
      "Refused (4xx)",
      sum(({ clientErrors }) => clientErrors),
    ),
    part(
      "Failed (5xx)",
      sum(({ serverErrors }) => serverErrors),
    ),
  ];
}

/** The platform does not report how many run now. */
function instancesOf({ minInstances, maxInstances = minInstances }: Service["settings"]): readonly Figure[] {
  if (typeof minInstances !== "number" || typeof maxInstances !== "number") return [];
  const value = minInstances === maxInstances ? `${minInstances}` : `${minInstances} to ${maxInstances}`;
  return [{ label: "Instances", value, detail: "as configured" }];
}
