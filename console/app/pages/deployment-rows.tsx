import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import { DeploymentsTable } from "../components/deployments-table.tsx";
import { LinkButton } from "../components/link.tsx";
import type { moreOf } from "../components/more.ts";
import { paths } from "../paths.ts";
import { Row } from "../ui/layout.tsx";
import { CancelButton, isLiveEverywhere, RedeployButton, RollbackButton } from "./deployment-actions.tsx";

type Props = { readonly rows: readonly DeploymentRow[]; readonly more: ReturnType<typeof moreOf> };

/** The deployments of all projects, each with what can be done to it. */
export function DeploymentRows({ rows, more }: Props) {
  return (
    <DeploymentsTable
      caption="Deployments, newest first"
      rows={rows}
      more={more}
      actions={(row) => <Actions row={row} before={beforeOf(row, rows)} />}
    />
  );
}

/** The id of the same project's previous deployment, if the list has it. */
function beforeOf(row: DeploymentRow, rows: readonly DeploymentRow[]): string | undefined {
  return rows.slice(rows.indexOf(row) + 1).find(({ projectId }) => projectId === row.projectId)?.id;
}

/** What its state permits; the page of the deployment has all, with the reasons. */
function Actions({ row, before }: { readonly row: DeploymentRow; readonly before: string | undefined }) {
  return (
    <Row>
      {row.endedAt === null ? (
        <CancelButton deployment={row} isInList />
      ) : row.status === "SUCCESS" && !isLiveEverywhere(row) ? (
        <RollbackButton deployment={row} isLive={false} isInList />
      ) : (
        <RedeployButton deployment={row} isInList />
      )}
      <LinkButton to={paths.deployment(row.id)} search={{ with: before }} size="small">
        Compare
      </LinkButton>
    </Row>
  );
}
