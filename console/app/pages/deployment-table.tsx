import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import { tellDeploymentTrigger, titleOfCommit } from "../api/deployment-rules.ts";
import { Link, LinkButton } from "../components/link.tsx";
import type { moreOf } from "../components/more.ts";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Fine, Row } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Lasted, When } from "../ui/time.tsx";
import { CancelButton, RetryButton, RollbackButton } from "./deployment-actions.tsx";

type Props = { readonly rows: readonly DeploymentRow[]; readonly more: ReturnType<typeof moreOf> };

export function DeploymentTable({ rows, more }: Props) {
  const columns: readonly Column<DeploymentRow>[] = [
    {
      label: "Deployment",
      cell: (row) => (
        <>
          <Link to={paths.deployment(row.id)}>{titleOfCommit(row)}</Link>
          <Fine>
            {row.branch} · {row.commit}
          </Fine>
        </>
      ),
    },
    {
      label: "Project",
      cell: ({ projectId, projectName, environments }) => (
        <>
          <Link to={paths.project(projectId)}>{projectName}</Link>
          <Fine>{environments.map(({ name }) => name).join(", ")}</Fine>
        </>
      ),
    },
    {
      label: "Outcome",
      cell: ({ status, cancelRequestedAt, endedAt }) => (
        <Status
          of={status}
          words={cancelRequestedAt !== null && endedAt === null ? "Cancelling" : undefined}
        />
      ),
    },
    {
      label: "By",
      cell: ({ commitAuthor, trigger, startedByName }) => (
        <>
          {startedByName ?? commitAuthor ?? tellDeploymentTrigger(trigger)}
          <Fine>{tellDeploymentTrigger(trigger)}</Fine>
        </>
      ),
    },
    { label: "Took", cell: ({ createdAt, endedAt }) => <Lasted from={createdAt} to={endedAt} /> },
    { label: "When", cell: ({ createdAt }) => <When at={createdAt} /> },
    { label: "", cell: (row) => <Actions row={row} before={beforeOf(row, rows)} /> },
  ];
  return (
    <Table
      caption="Deployments, newest first"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
    />
  );
}

/** The one that the same project had before, as far as the list goes. */
function beforeOf(row: DeploymentRow, rows: readonly DeploymentRow[]): string | undefined {
  return rows.slice(rows.indexOf(row) + 1).find(({ projectId }) => projectId === row.projectId)?.id;
}

/** What its state permits; the page of the deployment has all, with the reasons. */
function Actions({ row, before }: { readonly row: DeploymentRow; readonly before: string | undefined }) {
  return (
    <Row>
      {row.endedAt === null ? (
        <CancelButton deployment={row} isInList />
      ) : row.status === "SUCCESS" ? (
        <RollbackButton deployment={row} isInList />
      ) : (
        <RetryButton deployment={row} isInList />
      )}
      <LinkButton to={paths.deployment(row.id)} search={{ with: before }} size="small">
        Compare
      </LinkButton>
    </Row>
  );
}
