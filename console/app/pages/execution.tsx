import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Environment, Execution } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { reasonAgainstCancel, reasonAgainstRun, tellStart, tellTimeLimit } from "../api/execution-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { useLines } from "../live/use-lines.ts";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Facts, Quiet, Section, Stack } from "../ui/layout.tsx";
import { type LogRow, LogView } from "../ui/log-view.tsx";
import { Lasted, When } from "../ui/time.tsx";
import { Payload } from "../components/payload.tsx";

/** One command while it runs and after it. */
export function ExecutionPage() {
  const { executionId } = useParams({ from: "/shell/executions/$executionId" });
  // The log is of one execution.
  return <OneExecution key={executionId} executionId={executionId} />;
}

function OneExecution({ executionId }: { readonly executionId: string }) {
  const reading = read("executions", "get", executionId);
  const execution = useRead(reading);
  const { id, serviceId, projectId, environmentId, status, error, endedAt, isCancelRequested } = execution;
  const service = useRead(read("services", "get", serviceId));
  const environment = useRead(read("environments", "get", environmentId));
  const project = useRead(read("projects", "get", projectId));
  useFollow(reading, (options) => slipway.executions.watch(id, options), endedAt === null);
  return (
    <Page
      title={`Execution ${execution.jobId === null ? "in" : `of ${execution.jobId} in`} ${service.name}`}
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(projectId)],
        [environment.name, paths.environment(environmentId)],
        [service.name, paths.service(serviceId)],
        ["Executions", paths.serviceExecutions(serviceId)],
      ]}
      beside={<Status of={status} words={isCancelRequested ? "Cancelling" : undefined} />}
      // A question about one of them must not become that about the other.
      actions={
        endedAt === null ? (
          <CancelButton key="cancel" execution={execution} />
        ) : (
          <RepeatButton key="repeat" execution={execution} environment={environment} />
        )
      }
    >
      <Stack>
        {error === null ? null : <Notice title={error.message} isBad={status !== "CANCELLED"} />}
        <Payload label="Command" text={execution.command} wraps />
        <About execution={execution} />
      </Stack>
      {/* Last, because it grows: nothing below has to make room. */}
      <Log execution={execution} />
    </Page>
  );
}

function CancelButton({ execution }: { readonly execution: Execution }) {
  const { id, projectId, environmentId } = execution;
  const { reason } = useCan("run commands", { projectId, environmentId });
  return (
    <ConfirmButton
      label="Cancel it"
      look="normal"
      disabledReason={reason ?? reasonAgainstCancel(execution)}
      title="Cancel this execution?"
      consequences={["The command is stopped with everything that it started.", "What it did stays."]}
      action="Cancel it"
      work={() => slipway.executions.cancel(id)}
      refreshes={["executions"]}
      said="Cancelling."
    />
  );
}

/** Starts the same command, or the same job as it is configured now. */
function RepeatButton({
  execution: { serviceId, projectId, environmentId, jobId, command, cpu, memoryGb, timeLimitSeconds },
  environment,
}: {
  readonly execution: Execution;
  readonly environment: Environment;
}) {
  const { reason } = useCan("run commands", { projectId, environmentId });
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Run it again"
      look="normal"
      disabledReason={reason ?? (jobId === null ? reasonAgainstRun(environment, null) : null)}
      title={jobId === null ? "Run this command again?" : `Run ${jobId} again?`}
      consequences={
        jobId === null
          ? ["It runs in the release that is live now, with its variables, size and time limit."]
          : ["The job runs in the release that is live now, with the command and time limit that it has now."]
      }
      details={jobId === null ? <Payload label="Command" text={command} wraps /> : null}
      action="Run it again"
      isSafe
      work={async () => {
        if (jobId !== null) return (await slipway.jobs.run(serviceId, jobId, {})).jobExecutionId;
        const timeoutMinutes = timeLimitSeconds / 60;
        return (await slipway.executions.start(serviceId, { command, timeoutMinutes, cpu, memoryGb })).id;
      }}
      refreshes={["executions", "jobs"]}
      onDone={(started) => navigate({ to: paths.execution(started) })}
    />
  );
}

function About({ execution }: { readonly execution: Execution }) {
  const { startedBy, scheduledFor, createdAt, startedAt, endedAt, exitCode, deploymentId } = execution;
  const users = useLater(readAll("users", "list", {})).data?.users;
  const starter = users?.find((user) => user.id === startedBy)?.name;
  return (
    <Facts
      of={[
        ["Started by", [starter, tellStart(execution)].filter(Boolean).join(", ")],
        scheduledFor === null
          ? ["Requested", <When key="requested" at={createdAt} />]
          : ["Scheduled for", <When key="scheduled" at={scheduledFor} />],
        [
          "Duration",
          <span key="duration">
            <Lasted from={startedAt} to={endedAt} /> <Quiet>of at most {tellTimeLimit(execution)}</Quiet>
          </span>,
        ],
        ["Exit code", exitCode ?? <Quiet key="none">–</Quiet>],
        ["Size", `${execution.cpu} CPU, ${execution.memoryGb} GiB`],
        [
          "Release",
          deploymentId === null ? (
            <Quiet key="none">–</Quiet>
          ) : (
            <Link key="release" to={paths.deployment(deploymentId)}>
              See its deployment
            </Link>
          ),
        ],
      ]}
    />
  );
}

function Log({ execution: { id, startedAt, endedAt } }: { readonly execution: Execution }) {
  const { line } = useSearch({ from: "/shell/executions/$executionId" });
  const navigate = useNavigate();
  const log = useLines<Omit<LogRow, "key">>(id, async (add, signal) => {
    for await (const one of slipway.executions.streamLogs(id, {}, { signal })) {
      if (one.event !== "line") continue;
      const { at, stream, text } = one.data;
      add({ at, of: "", isError: stream === "stderr", text });
    }
  });
  return (
    <Section title="Log">
      {log.error === null ? null : <Problem error={log.error} />}
      <LogView
        label="Log"
        rows={log.rows}
        state={log.isLive && endedAt === null ? "live" : ""}
        empty={emptyOf({ isLive: log.isLive, startedAt, endedAt })}
        fileName={`${id}.log`}
        isFitted
        chosen={line ?? null}
        onChoose={(chosen) => {
          const address = new URL(globalThis.location.href);
          address.searchParams.set("line", String(chosen));
          void navigate({ to: ".", search: { line: chosen } as never, replace: true, resetScroll: false });
          return address.href;
        }}
      />
    </Section>
  );
}

function emptyOf({
  isLive,
  startedAt,
  endedAt,
}: Pick<Execution, "startedAt" | "endedAt"> & { readonly isLive: boolean }): string {
  if (endedAt === null)
    return startedAt === null ? "The command has not started yet." : "Nothing was printed yet.";
  if (isLive) return "Reading the log…";
  return startedAt === null ? "The command did not start." : "Nothing was printed.";
}
