import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Deployment, Rollback } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { reasonAgainstCancel, reasonAgainstRetry, reasonAgainstRollback } from "../api/deployment-rules.ts";
import { type Target, useCan } from "../api/permissions.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";

type Props = {
  readonly deployment: Deployment;
  /** In a list: its name says which deployment it is about. */
  readonly isInList?: boolean;
};

/** The name of a button in a list, where there are several with the same words. */
function named(words: string, { deployment, isInList = false }: Props) {
  return isInList ? { name: `${words}: ${deployment.commit}`, size: "small" as const } : {};
}

/** Of several environments, the server looks at each. */
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
        "What is not live yet does not go live.",
        "What was released already stays: Slipway does not put the release before back.",
      ]}
      action="Cancel it"
      work={() => slipway.deployments.cancel(id)}
      refreshes={["deployments", "overview"]}
      said="Cancelling. What is already live stays live."
    />
  );
}

/** Deploys the same branch once more. */
export function RetryButton(props: Props) {
  const { projectId, branch } = props.deployment;
  const { reason } = useCan("deploy", targetOf(props.deployment));
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Deploy again"
      look="normal"
      {...named("Deploy again", props)}
      disabledReason={reason ?? reasonAgainstRetry(props.deployment)}
      title="Deploy again?"
      consequences={[
        `The newest commit of ${branch} is deployed, with the variables as they are now. It may be a newer one than this.`,
      ]}
      action="Deploy"
      work={async () => {
        const { repoUrl } = await slipway.projects.get(projectId);
        return await slipway.deployments.create({ repoUrl, branch, filter: { projectId } });
      }}
      refreshes={["deployments", "overview"]}
      onDone={({ id }) => navigate({ to: paths.deployment(id) })}
    />
  );
}

/** Deploys this commit again from what was built then, and says what that does not bring back. */
export function RollbackButton(props: Props) {
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
        disabledReason={reason ?? reasonAgainstRollback(props.deployment)}
        title={`Roll back to ${commit}?`}
        consequences={[
          "A new deployment of this commit starts, with its configuration and what was built then.",
          "Domains, data, and variables set in the console or with the API stay as they are.",
        ]}
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
