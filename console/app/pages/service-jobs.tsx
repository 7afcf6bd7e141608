import { useNavigate } from "@tanstack/react-router";
import type { Job, Service } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellJobStart } from "../api/execution-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Link } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Fine, Quiet, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { useNow, When } from "../ui/time.tsx";

const MINUTE_MS = 60_000;

/** The jobs of a scheduler, with their next and last starts, and a button that runs each now. */
export function ServiceJobs({ service }: { readonly service: Service }) {
  const { id } = service;
  const { data, error } = useLater(read("jobs", "list", id));
  const now = useNow(MINUTE_MS);
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
        {
          label: "Job",
          cell: (job) => (
            <Link to={paths.serviceExecutions(id)} search={{ jobId: job.id }}>
              <code>{job.id}</code>
            </Link>
          ),
        },
        { label: "Schedule", cell: ({ schedule, timezone }) => `${schedule} (${timezone})` },
        { label: "Next start", cell: (job) => <NextStart job={job} now={now} /> },
        { label: "Last", isShort: true, cell: (job) => <Last job={job} /> },
        { label: "", isShort: true, cell: (job) => <RunNow job={job} service={service} /> },
      ]}
      note={({ nextRuns, timezone }) =>
        nextRuns.length < 2 ? null : (
          <Fine>
            Then{" "}
            {nextRuns
              .slice(1)
              .map(({ at }) => tellJobStart(at, timezone, now))
              .join(" · ")}
          </Fine>
        )
      }
    />
  );
}

/** On the clocks of the time zone that the column of the schedule has. */
function NextStart({ job: { nextRuns, timezone }, now }: { readonly job: Job; readonly now: number }) {
  const [next] = nextRuns;
  if (next === undefined) return <Quiet>Not scheduled: nothing is live, or this is a preview.</Quiet>;
  return <time dateTime={next.at}>{tellJobStart(next.at, timezone, now)}</time>;
}

function Last({ job: { lastExecution } }: { readonly job: Job }) {
  if (lastExecution === null) return <Quiet>Never</Quiet>;
  return (
    <>
      <Status of={lastExecution.status} />{" "}
      <Link to={paths.execution(lastExecution.id)}>
        <When at={lastExecution.createdAt} />
      </Link>
    </>
  );
}

function RunNow({ job, service }: { readonly job: Job; readonly service: Service }) {
  const { id, projectId, environmentId } = service;
  const { reason } = useCan("run commands", { projectId, environmentId });
  const navigate = useNavigate();
  return (
    <ActionButton
      label="Run now"
      name={`Run now: ${job.id}`}
      size="small"
      disabledReason={reason}
      work={() => slipway.jobs.run(id, job.id, {})}
      refreshes={["jobs", "executions"] as const}
      onDone={({ jobExecutionId }) => navigate({ to: paths.execution(jobExecutionId) })}
    />
  );
}
