/** The deployments that wait for an approval: the reads that the inbox, its route and the navigation share. */
import { useQueries } from "@tanstack/react-query";
import type {
  DeploymentApproval,
  DeploymentDetails,
  DeploymentRow,
} from "../../../sdk/src/generated/types.ts";
import { reasonAgainstApproval } from "./approval-rules.ts";
import { useMe } from "./permissions.ts";
import { read, useRead } from "./query.ts";

/** Of more, the number is shown as this one. */
export const HELD_MOST = 50;

export const HELD = read("overview", "listDeployments", { status: "PENDING_APPROVAL", limit: HELD_MOST });

/** The previews whose commit, from another repository, waits until a member approves it. */
export const WAITING_FORKS = read("previews", "list", { state: "WAITING_FOR_APPROVAL", limit: HELD_MOST });

/** What decides whether the caller may approve in an environment. */
export function readRights(projectId: string, environmentId: string) {
  return read("me", "getPermissions", { projectId, environmentId });
}

/** One environment of a deployment that waits. */
export type Held = {
  readonly row: DeploymentRow;
  readonly deployment: DeploymentDetails;
  readonly approval: DeploymentApproval;
  readonly environment: string;
  readonly isOwn: boolean;
  readonly mayDecide: boolean;
};

/** What waits, oldest first. A deployment that is new here appears once it has been read. */
export function useHeld(): readonly Held[] {
  const { user, permissions } = useMe();
  const rows = useRead(HELD).deployments;
  const details = useQueries({ queries: rows.map(({ id }) => read("deployments", "get", id)) });
  const waiting = rows.flatMap((row, index) => {
    const deployment = details[index]?.data;
    if (deployment === undefined) return [];
    return deployment.approvals
      .filter(({ status }) => status === "WAITING")
      .map((approval) => ({ row, deployment, approval }));
  });
  const rights = useQueries({
    queries: waiting.map(({ deployment, approval }) =>
      readRights(deployment.projectId, approval.environmentId),
    ),
  });
  return waiting.map(({ row, deployment, approval }, index) => {
    const target = { projectId: deployment.projectId, environmentId: approval.environmentId };
    const own = rights[index]?.data ?? permissions;
    const name = row.environments.find(({ id }) => id === approval.environmentId)?.name;
    return {
      row,
      deployment,
      approval,
      environment: name ?? approval.configId,
      isOwn: deployment.startedBy === user.id,
      mayDecide: reasonAgainstApproval(own, approval, deployment, user.id, target) === null,
    };
  });
}
