import type { ReactNode } from "react";
import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import { tellDeploymentTrigger, titleOfCommit } from "../api/deployment-rules.ts";
import { paths } from "../paths.ts";
import { Badge, Quiet } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { Lasted } from "../ui/time.tsx";
import { Link } from "./link.tsx";
import { Status } from "./status.tsx";

type Props = {
  readonly caption: string;
  readonly rows: readonly DeploymentRow[];
  readonly more?: { readonly load: () => void; readonly isLoading: boolean } | null;
  /** Left out on the project's own pages. */
  readonly hasProject?: boolean;
  readonly actions?: (row: DeploymentRow) => ReactNode;
};

/** At the deployment that is what runs in its environments, or in some of them. */
function LiveNow({ of: environments }: { readonly of: DeploymentRow["environments"] }) {
  const live = environments.filter(({ isLive }) => isLive);
  if (live.length === 0) return null;
  return (
    <>
      {" "}
      <Badge tone="good" status="LIVE">
        {live.length === environments.length ? "Live now" : `Live now in ${namesOf(live)}`}
      </Badge>
    </>
  );
}

function namesOf(environments: DeploymentRow["environments"]): string {
  return environments.map(({ name }) => name).join(", ");
}

/** Where it runs. If its environments differ in how far it is, the status of each follows its name. */
function describeEnvironments({ environments, status }: DeploymentRow): ReactNode {
  if (environments.length === 0) return <Quiet>not known yet</Quiet>;
  const differ = environments.some((environment) => environment.status !== status);
  if (!differ || environments.length === 1) return namesOf(environments);
  return environments.map((environment) => (
    <span key={environment.id}>
      {environment.name} <Status of={environment.status} />{" "}
    </span>
  ));
}

/** Deployments, identified by what was changed, where, and by whom; one line each. */
export function DeploymentsTable({ caption, rows, more = null, hasProject = true, actions }: Props) {
  const project: Column<DeploymentRow> = {
    label: "Project",
    cell: ({ projectId, projectName }) => <Link to={paths.project(projectId)}>{projectName}</Link>,
    sortBy: ({ projectName }) => projectName,
  };
  const columns: readonly Column<DeploymentRow>[] = [
    {
      label: "Change",
      cell: (row) => (
        <>
          <Link to={paths.deployment(row.id)}>{titleOfCommit(row)}</Link>{" "}
          <Quiet>
            <code>{row.commit}</code> {row.branch}
          </Quiet>
        </>
      ),
      sortBy: titleOfCommit,
    },
    {
      label: "Status",
      isShort: true,
      cell: ({ status, cancelRequestedAt, endedAt, environments }) => (
        <>
          <Status
            of={status}
            words={cancelRequestedAt !== null && endedAt === null ? "Cancelling" : undefined}
          />
          <LiveNow of={environments} />
        </>
      ),
      sortBy: ({ status }) => status,
    },
    ...(hasProject ? [project] : []),
    {
      label: "Environment",
      cell: describeEnvironments,
      sortBy: ({ environments }) => namesOf(environments),
    },
    {
      label: "By",
      cell: ({ startedByName, commitAuthor, trigger }) => (
        <>
          {startedByName ?? commitAuthor ?? "unknown"} <Quiet>{tellDeploymentTrigger(trigger)}</Quiet>
        </>
      ),
      sortBy: ({ startedByName, commitAuthor }) => startedByName ?? commitAuthor ?? "",
    },
    timeColumn("When", "createdAt"),
    {
      label: "Duration",
      isNumber: true,
      cell: ({ startedAt, endedAt }) => <Lasted from={startedAt} to={endedAt} />,
      sortBy: ({ startedAt, endedAt }) =>
        startedAt === null || endedAt === null ? -1 : Date.parse(endedAt) - Date.parse(startedAt),
    },
  ];
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={actions === undefined ? columns : [...columns, { label: "", cell: actions }]}
    />
  );
}
