import type { Job, Service } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { Quiet, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

/** The jobs of a scheduler, with their next and last starts, and a button that runs each now. */
export function ServiceJobs({ service }: { readonly service: Service }) {
  const { id } = service;
  const { data, error } = useLater(read("jobs", "list", id));
  useFollow(read("jobs", "list", id), (options) => slipway.jobs.watch(id, options));
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton lines={2} label="Loading the jobs" />;
  return (
    <Table
      caption="Jobs"
      rows={data.jobs}
      keyOf={(job) => job.id}
      filterBy={(job) => job.id}
      columns={[
        { label: "Job", cell: (job) => <code>{job.id}</code> },
        { label: "Schedule", cell: ({ schedule, timezone }) => `${schedule} (${timezone})` },
        { label: "Next starts", cell: (job) => <NextRuns job={job} /> },
        { label: "Last", isShort: true, cell: (job) => <Last job={job} /> },
        { label: "", isShort: true, cell: (job) => <RunNow job={job} service={service} /> },
      ]}
    />
  );
}

function NextRuns({ job: { nextRuns } }: { readonly job: Job }) {
  if (nextRuns.length === 0) return <Quiet>Not scheduled: nothing is live, or this is a preview.</Quiet>;
  return (
    <span title={nextRuns.map(({ local }) => shown(local)).join("\n")}>
      {nextRuns.slice(0, 1).map(({ at, local }) => (
        <time key={at} dateTime={at}>
          {shown(local)}
        </time>
      ))}
    </span>
  );
}

/** The time on the wall. The column of the schedule has its zone. @param local such as `2026-11-28T03:30+01:00` */
const shown = (local: string) => local.slice(0, 16).replace("T", " ");

function Last({ job: { lastExecution } }: { readonly job: Job }) {
  if (lastExecution === null) return <Quiet>Never</Quiet>;
  return (
    <>
      <Status of={lastExecution.status} /> <When at={lastExecution.createdAt} />
    </>
  );
}

function RunNow({ job, service }: { readonly job: Job; readonly service: Service }) {
  const { id, projectId, environmentId } = service;
  const { reason } = useCan("deploy", { projectId, environmentId });
  return (
    <ActionButton
      label="Run now"
      name={`Run ${job.id} now`}
      size="small"
      disabledReason={reason}
      work={() => slipway.jobs.run(id, job.id, {})}
      said={`${job.id} is started.`}
      refreshes={["jobs"] as const}
    />
  );
}
