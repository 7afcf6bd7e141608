import type { TrafficSource } from "../../../sdk/src/generated/types.ts";
import { trafficColumns } from "../api/pictures.ts";
import { read, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { ColumnChart, type Series } from "../ui/chart.tsx";
import { Empty, Fine } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";

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
  CLOUDFRONT: "Counted by CloudFront, which reports some minutes late,",
};

/** How many people asked for it, and what became of that. */
export function ServiceTraffic({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(read("services", "getTraffic", serviceId, { hours: HOURS }));
  useRefresh("services", "getTraffic", EVERY_MS, true);
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data?.source === null) return <Empty title="Its requests are not counted.">{data.problem ?? ""}</Empty>;
  return (
    <>
      <ColumnChart
        title={`Requests, last ${HOURS} hours`}
        step="From"
        series={OUTCOMES}
        points={data === undefined ? null : trafficColumns(data.points)}
        empty="No requests yet."
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
    </>
  );
}
