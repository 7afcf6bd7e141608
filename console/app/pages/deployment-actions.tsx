import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Deployment, DeploymentRow, Rollback } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import {
  reasonAgainstCancel,
  reasonAgainstNewest,
  reasonAgainstRedeploy,
  reasonAgainstRollback,
  titleOfCommit,
} from "../api/deployment-rules.ts";
import { type Target, useCan } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { RollbackPreview } from "./rollback-preview.tsx";

type Props = {
  readonly deployment: Deployment;
  /** In a list: its name says which deployment it is about. */
  readonly isInList?: boolean;
};

/** The name of a button in a list that has several buttons with the same words. */
function named(words: string, { deployment, isInList = false }: Props) {
  return isInList ? { name: `${words}: ${deployment.commit}`, size: "small" as const } : {};
}

/** For a deployment to several environments, the server checks the permission in each. */
function targetOf({ projectId, environmentId }: Deployment): Target {
  return { projectId, environmentId: environmentId ?? undefined };
}

export function CancelButton(props: Props) {
  const { id } = props.deployment;
  const { reason } = useCan("cancel deployments", targetOf(props.deployment));
  return (
    <ConfirmButton
      label={props.isInList === true ? "Cancel" : "Cancel deployment"}
      look="normal"
      {...named("Cancel", props)}
      disabledReason={reason ?? reasonAgainstCancel(props.deployment)}
      title="Cancel this deployment?"
      consequences={[
        "Services that are not live yet do not go live.",
        "Released services stay: Slipway does not restore the release before.",
      ]}
      action="Cancel it"
      work={() => slipway.deployments.cancel(id)}
      refreshes={["deployments", "overview"]}
      said="Cancelling. Live services stay live."
    />
  );
}

/** Deploys the same commit once more. */
export function RedeployButton(props: Props) {
  const { id, commit, branch } = props.deployment;
  const { reason } = useCan("deploy", targetOf(props.deployment));
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Redeploy"
      look="normal"
      {...named("Redeploy", props)}
      disabledReason={reason ?? reasonAgainstRedeploy(props.deployment)}
      title={`Redeploy ${commit}?`}
      consequences={[
        `The same commit is built and released again: ${titleOfCommit(props.deployment)} (${commit}), on ${branch}.`,
        "It gets the present values of its variables.",
      ]}
      action="Redeploy"
      work={() => slipway.deployments.redeploy(id)}
      refreshes={["deployments", "overview"]}
      onDone={(made) => navigate({ to: paths.deployment(made.id) })}
    />
  );
}

/** As many letters as a commit is named by, so that the button does not move what is beside it. */
const UNKNOWN_COMMIT = "·".repeat(7);

/** Deploys the newest commit of the same branch, and names it. */
export function DeployNewestButton({
  deployment,
  environmentId,
}: Props & {
  /** An environment of the deployment; undefined until it is known. */
  readonly environmentId: string | undefined;
}) {
  const { projectId, branch, commitHash } = deployment;
  const target = targetOf(deployment);
  const { reason } = useCan("deploy", target);
  const navigate = useNavigate();
  const { data, error } = useLater(read("environments", "getDrift", environmentId ?? ""), {
    isWanted: environmentId !== undefined && reason === null,
  });
  const newest = data?.branch === branch ? data.newest : null;
  const isOne = deployment.environmentId !== null;
  return (
    <ConfirmButton
      label={
        <>
          Deploy newest <code>{newest?.commit ?? UNKNOWN_COMMIT}</code>
        </>
      }
      look="normal"
      disabledReason={
        reason ?? reasonAgainstNewest({ environmentId, branch, commitHash }, data ?? null, error !== null)
      }
      title={`Deploy ${newest?.commit ?? ""}, the newest commit of ${branch}?`}
      consequences={[
        newest === null ? "" : `${titleOfCommit(newest)} (${newest.commit}) is built and released.`,
        "If a newer commit is pushed before that, it is deployed instead.",
      ]}
      action="Deploy newest"
      work={async () => {
        const { repoUrl } = await slipway.projects.get(projectId);
        const filter = { projectId, ...(isOne && environmentId !== undefined ? { environmentId } : {}) };
        return await slipway.deployments.create({ repoUrl, branch, filter });
      }}
      refreshes={["deployments", "overview"]}
      onDone={({ id }) => navigate({ to: paths.deployment(id) })}
    />
  );
}

/** Deploys this commit again from what was built then, and says what that changes and what it does not bring back. */
export function RollbackButton(
  props: Props & {
    /** Whether it is what runs now, in all of its environments. */
    readonly isLive: boolean;
  },
) {
  const { id, commit } = props.deployment;
  const { reason } = useCan("roll back", targetOf(props.deployment));
  const navigate = useNavigate();
  const [begun, setBegun] = useState<Rollback | null>(null);
  const follow = ({ deployment }: Rollback) => {
    setBegun(null);
    void navigate({ to: paths.deployment(deployment.id) });
  };
  return (
    <>
      <ConfirmButton
        label={props.isInList === true ? "Roll back" : "Roll back to this"}
        look="normal"
        {...named("Roll back to this", props)}
        disabledReason={reason ?? reasonAgainstRollback({ ...props.deployment, isLive: props.isLive })}
        title={`Roll back to ${commit}?`}
        consequences={[
          "A new deployment of this commit starts, with its configuration and what was built then.",
          "Domains, data, and variables set in the console or with the API stay as they are.",
        ]}
        details={<RollbackPreview deploymentId={id} />}
        action="Roll back"
        work={() => slipway.deployments.rollback(id)}
        refreshes={["deployments", "overview"]}
        onDone={setBegun}
      />
      {begun === null ? null : (
        <Dialog title="Rolling back" onClose={() => follow(begun)}>
          <p>These are not rolled back:</p>
          <ul>
            {begun.notRestored.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <DialogActions>
            <Button look="primary" onClick={() => follow(begun)}>
              Follow it
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}

/** Whether a row's deployment is what runs now, in each of its environments. */
export function isLiveEverywhere({ environments }: Pick<DeploymentRow, "environments">): boolean {
  return environments.length > 0 && environments.every(({ isLive }) => isLive);
}
