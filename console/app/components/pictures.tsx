/** Pictures of deployments and domains, of all projects or of one. */
import { domainColumns, durationColumns, expiryColumns, outcomeColumns } from "../api/pictures.ts";
import { STATISTICS_DAYS, useStatistics } from "../api/statistics.ts";
import { Charts, ColumnChart, type Series } from "../ui/chart.tsx";
import { formatDuration } from "../ui/format-time.ts";
import { useNow } from "../ui/time.tsx";
import { Problem } from "./problem.tsx";

/** Fewer points show no course: the numbers of the page say it all. */
const POINTS_LEAST = 5;
/** Days change slowly. */
const TICK_MS = 60_000;

const OUTCOMES: readonly Series[] = [
  { label: "Succeeded", tone: "good" },
  { label: "Failed", tone: "bad" },
  { label: "Cancelled or replaced", tone: "calm" },
  { label: "Under way", tone: "busy" },
];
const DURATIONS: readonly Series[] = [
  { label: "Median", tone: "good" },
  { label: "Longest", tone: "calm" },
];
const STATES: readonly Series[] = [
  { label: "Served", tone: "good" },
  { label: "Waiting for DNS records", tone: "todo" },
  { label: "In progress", tone: "busy" },
  { label: "Failed", tone: "bad" },
];
const EXPIRES: readonly Series[] = [{ label: "Certificates", tone: "busy" }];

type Props = { readonly projectId?: string | undefined };

const tellSeconds = (seconds: number): string => formatDuration(seconds * 1_000);

/** How deployments ended, and how long they took. */
export function DeploymentPictures({ projectId }: Props) {
  const { data, error } = useStatistics(projectId);
  const now = useNow(TICK_MS);
  if (error !== null && data === undefined) return <Problem error={error} />;
  const days = data?.deploymentDays;
  return (
    <Charts>
      <ColumnChart
        title={`Deployments, last ${STATISTICS_DAYS} days`}
        step="Day"
        series={OUTCOMES}
        points={days === undefined ? null : outcomeColumns(days, STATISTICS_DAYS, now)}
        empty="Nothing was deployed."
      />
      <ColumnChart
        title="How long they took"
        step="Day"
        series={DURATIONS}
        points={days === undefined ? null : durationColumns(days, STATISTICS_DAYS, now, tellSeconds)}
        tell={tellSeconds}
        empty="None succeeded."
      />
    </Charts>
  );
}

/** How many domains waited for what, and when certificates expire: each once there are five days or weeks of it. */
export function DomainPictures({ projectId }: Props) {
  const { data, error } = useStatistics(projectId);
  const now = useNow(TICK_MS);
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return null;
  // Days are counted only for all projects together, not for one.
  const hasDays = data.domainDays.length >= POINTS_LEAST;
  const hasWeeks = data.certificateExpiry.length >= POINTS_LEAST;
  if (!hasDays && !hasWeeks) return null;
  return (
    <Charts>
      {hasDays ? (
        <ColumnChart
          title={`Domains, last ${STATISTICS_DAYS} days`}
          step="Day"
          series={STATES}
          points={domainColumns(data.domainDays, data.domains, now)}
          empty="There were no domains."
        />
      ) : null}
      {hasWeeks ? (
        <ColumnChart
          title="Certificates by their expiry"
          step="Week"
          series={EXPIRES}
          points={expiryColumns(data.certificateExpiry, now)}
          empty="No certificate was issued yet."
        />
      ) : null}
    </Charts>
  );
}
