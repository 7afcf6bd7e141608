import type { ReactNode } from "react";
import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import { tellDeploymentTrigger, titleOfCommit } from "../api/deployment-rules.ts";
import { paths } from "../paths.ts";
import { Badge, Fine } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Lasted, When } from "../ui/time.tsx";
import { Link } from "./link.tsx";
import { Status } from "./status.tsx";

type Props = {
  readonly caption: string;
  readonly rows: readonly DeploymentRow[];
  readonly more?: { readonly load: () => void; readonly isLoading: boolean } | null;
  /** Left out on the project's own pages. */
  readonly hasProject?: boolean;
  /** The actions of a row. */
  readonly actions?: (row: DeploymentRow) => ReactNode;
};

/** Where it runs; in several, how far it is in each. Of one, the status of the row says that. */
function Environments({ of: environments }: { readonly of: DeploymentRow["environments"] }) {
  const [first, ...others] = environments;
  if (first === undefined) return <Fine>not known yet</Fine>;
  if (others.length === 0) return <Fine>{first.name}</Fine>;
  return environments.map(({ id, name, status, isLive }) => (
    <Fine key={id}>
      {name} {isLive ? <LiveNow /> : <Status of={status} />}
    </Fine>
  ));
}

/** At the deployment that is what runs in the environment. */
function LiveNow() {
  return (
    <Badge tone="good" status="LIVE">
      Live now
    </Badge>
  );
}

/** Deployments, identified by what was changed, where, and by whom. */
export function DeploymentsTable({ caption, rows, more = null, hasProject = true, actions }: Props) {
  const columns: readonly Column<DeploymentRow>[] = [
    {
      label: "Change",
      cell: (row) => (
        <>
          <Link to={paths.deployment(row.id)}>{titleOfCommit(row)}</Link>
          <Fine>
            <code>{row.commit}</code> on {row.branch}
          </Fine>
        </>
      ),
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
          {environments.length === 1 && environments[0]?.isLive === true ? (
            <div>
              <LiveNow />
            </div>
          ) : null}
        </>
      ),
    },
    {
      label: hasProject ? "Project" : "Environment",
      cell: (row) => (
        <>
          {hasProject ? <Link to={paths.project(row.projectId)}>{row.projectName}</Link> : null}
          <Environments of={row.environments} />
        </>
      ),
    },
    {
      label: "By",
      cell: ({ startedByName, commitAuthor, trigger }) => (
        <>
          {startedByName ?? commitAuthor ?? "unknown"}
          <Fine>{tellDeploymentTrigger(trigger)}</Fine>
        </>
      ),
    },
    {
      label: "Created",
      isShort: true,
      cell: ({ createdAt, startedAt, endedAt }) => (
        <>
          <When at={createdAt} />
          {startedAt === null ? null : (
            <Fine>
              {endedAt === null ? "for" : "took"} <Lasted from={startedAt} to={endedAt} />
            </Fine>
          )}
        </>
      ),
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
