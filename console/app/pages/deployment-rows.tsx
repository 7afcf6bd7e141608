import { useNavigate } from "@tanstack/react-router";
import { Ban, GitCompare, RotateCcw, Undo2 } from "lucide-react";
import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { ActionMenu, menuEntry, type MenuAction } from "../components/confirm.tsx";
import { DeploymentsTable } from "../components/deployments-table.tsx";
import type { moreOf } from "../components/more.ts";
import { paths } from "../paths.ts";
import { useDeploymentActions } from "./deployment-actions.tsx";

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

function Actions({ row, before }: { readonly row: DeploymentRow; readonly before: string | undefined }) {
  const navigate = useNavigate();
  const { cancel, redeploy, rollBack } = useDeploymentActions(row, isLiveEverywhere(row));
  const actions: readonly MenuAction[] = [
    menuEntry(redeploy, { label: "Redeploy", icon: RotateCcw }),
    menuEntry(rollBack, { label: "Roll back to this", icon: Undo2 }),
    {
      label: "Compare with the one before",
      icon: GitCompare,
      onSelect: () => void navigate({ to: paths.deployment(row.id), search: { with: before } as never }),
      disabledReason: before === undefined ? "There is none before it in this list." : null,
    },
    menuEntry(cancel, { label: "Cancel", icon: Ban, isDanger: true }),
  ];
  return <ActionMenu of={`${titleOfCommit(row)}, ${row.commit}`} actions={actions} />;
}

/** Whether a row's deployment is what runs now, in each of its environments. */
function isLiveEverywhere({ environments }: Pick<DeploymentRow, "environments">): boolean {
  return environments.length > 0 && environments.every(({ isLive }) => isLive);
}
