import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Execution, Service } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { reasonAgainstRun, tellStart } from "../api/execution-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, readPages, useLater, useList, useRead } from "../api/query.ts";
import { runsCommands } from "../api/service-words.ts";
import { Filters, useFilter } from "../components/filters.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { ServiceFrame } from "../components/service-frame.tsx";
import { Status } from "../components/status.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { type Control, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Empty, Fine, Quiet, Section } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { Lasted, When } from "../ui/time.tsx";

const OUTCOMES: readonly (readonly [string, string])[] = [
  ["", "Any"],
  ["SUCCEEDED", "Succeeded"],
  ["FAILED", "Failed"],
  ["TIMED_OUT", "Timed out"],
  ["CANCELLED", "Cancelled"],
  ["RUNNING", "Running"],
];
/** Of the schedule of a job. */
const UNSTARTED: typeof OUTCOMES = [
  ["SKIPPED", "Skipped"],
  ["MISSED", "Missed"],
];
/** Fewer commands are seen at once. */
const LONG = 10;
/** A start emits no event. */
const EVERY_MS = 3_000;

/** Commands that ran once in the live release of a service, and the form that runs one. */
export function ServiceExecutionsPage() {
  const from = "/shell/services/$serviceId/executions";
  const { serviceId } = useParams({ from });
  const search = useSearch({ from });
  const service = useRead(read("services", "get", serviceId));
  const list = useList(
    readPages("executions", "list", serviceId, { order: "desc", ...search }),
    "executions",
  );
  const rows = list.items ?? [];
  useRefresh(
    "executions",
    "list",
    EVERY_MS,
    rows.some(({ endedAt }) => endedAt === null),
  );
  const { isFiltered, count, clear, field } = useFilter(search);
  const isLive = useIsLive(service);
  const isScheduler = service.type === "scheduler";
  return (
    <ServiceFrame serviceId={serviceId}>
      <Section
        title="Executions"
        actions={runsCommands(service) ? <RunButton service={service} isLive={isLive} /> : null}
      >
        {isFiltered || rows.length > (isScheduler ? 0 : LONG) ? (
          <Filters label="Filter the executions" count={count}>
            {isScheduler ? <JobChoice serviceId={serviceId} {...field("jobId")} /> : null}
            <SelectField
              label="Outcome"
              options={isScheduler ? [...OUTCOMES, ...UNSTARTED] : OUTCOMES}
              {...field("status")}
            />
          </Filters>
        ) : null}
        {rows.length > 0 ? (
          <>
            <Executions rows={rows} more={moreOf(list)} />
            <Fine>Slipway keeps executions for 30 days.</Fine>
          </>
        ) : isFiltered ? (
          <Empty
            title="No execution matches the filter"
            action={<Button onClick={clear}>Clear the filter</Button>}
          />
        ) : (
          <NoneYet service={service} isLive={isLive} />
        )}
      </Section>
    </ServiceFrame>
  );
}

/** Whether something of a service is live; null until that is known. */
function useIsLive({ id }: Service): boolean | null {
  const { data } = useLater(read("services", "getHealth", id));
  return data === undefined ? null : data.live !== null;
}

function JobChoice({ serviceId, ...control }: Control<string> & { readonly serviceId: string }) {
  const jobs = useLater(read("jobs", "list", serviceId)).data?.jobs ?? [];
  // The chosen job may have been removed.
  const ids = new Set([...jobs.map(({ id }) => id), control.value].filter((id) => id !== ""));
  return (
    <SelectField
      label="Job"
      options={[["", "All jobs and commands"], ...[...ids].map((id) => [id, id] as const)]}
      {...control}
    />
  );
}

function NoneYet({ service, isLive }: { readonly service: Service; readonly isLive: boolean | null }) {
  if (!runsCommands(service))
    return <Empty title="No commands run here.">Commands run in web services, workers and schedulers.</Empty>;
  if (isLive === false)
    return (
      <Empty
        title="This service has no live release."
        action={<LinkButton to={paths.service(service.id)}>Go to the service</LinkButton>}
      >
        Deploy it first: commands run in its live release.
      </Empty>
    );
  return (
    <Empty title="No command ran here yet.">
      A command runs once in a copy of the live release, with its variables, while the service continues to
      run.
    </Empty>
  );
}

function Executions({
  rows,
  more,
}: {
  readonly rows: readonly Execution[];
  readonly more: ReturnType<typeof moreOf>;
}) {
  const users = useLater(readAll("users", "list", {})).data?.users;
  const nameOf = (id: string | null) => users?.find((user) => user.id === id)?.name ?? null;
  return (
    <Table
      caption="Commands that ran in this service, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          label: "Command",
          cell: ({ id, command }) => (
            <Link to={paths.execution(id)}>
              <code>{command}</code>
            </Link>
          ),
          sortBy: ({ command }) => command,
        },
        {
          label: "Status",
          isShort: true,
          cell: ({ status, isCancelRequested }) => (
            <Status of={status} words={isCancelRequested ? "Cancelling" : undefined} />
          ),
          sortBy: ({ status }) => status,
        },
        {
          label: "By",
          cell: (row) => (
            <>
              {nameOf(row.startedBy)} <Quiet>{tellStart(row)}</Quiet>
            </>
          ),
          sortBy: (row) => nameOf(row.startedBy) ?? tellStart(row),
        },
        {
          label: "When",
          isShort: true,
          cell: ({ scheduledFor, createdAt }) => <When at={scheduledFor ?? createdAt} />,
          sortBy: ({ scheduledFor, createdAt }) => scheduledFor ?? createdAt,
        },
        {
          label: "Duration",
          isNumber: true,
          cell: ({ startedAt, endedAt }) => <Lasted from={startedAt} to={endedAt} />,
        },
        {
          label: "Exit code",
          isNumber: true,
          cell: ({ exitCode }) => exitCode ?? <Quiet>–</Quiet>,
          sortBy: ({ exitCode }) => exitCode ?? -1,
        },
      ]}
    />
  );
}

function RunButton({ service, isLive }: { readonly service: Service; readonly isLive: boolean | null }) {
  const { projectId, environmentId } = service;
  const [isOpen, setOpen] = useState(false);
  const environment = useRead(read("environments", "get", environmentId));
  const { reason } = useCan("run commands", { projectId, environmentId });
  return (
    <>
      <Button
        look="primary"
        disabledReason={reason ?? reasonAgainstRun(environment, isLive)}
        onClick={() => setOpen(true)}
      >
        Run a command
      </Button>
      {isOpen ? <RunDialog service={service} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RunDialog({
  service: { id, name },
  onClose,
}: {
  readonly service: Service;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const form = useForm({
    initial: { command: "", timeoutMinutes: "60" },
    submit: ({ command, timeoutMinutes }) =>
      slipway.executions.start(id, { command, timeoutMinutes: Number(timeoutMinutes) }),
    refreshes: ["executions"],
    onDone: (started) => navigate({ to: paths.execution(started.id) }),
  });
  return (
    <Dialog title={`Run a command in ${name}`} onClose={onClose}>
      <FormBox
        form={form}
        action="Run it"
        disabledReason={form.values.command.trim() === "" ? "Type the command." : null}
        onCancel={onClose}
      >
        <TextArea
          label="Command"
          isCode
          hint="For the shell, in a copy of the live release with its variables. Everyone who sees the project can read it: never put a secret in it."
          {...form.field("command")}
        />
        <TextField
          label="Time limit in minutes"
          inputMode="numeric"
          hint="Slipway stops the command if it has not ended by then. At most 1440 (24 hours)."
          {...form.field("timeoutMinutes")}
        />
      </FormBox>
    </Dialog>
  );
}
