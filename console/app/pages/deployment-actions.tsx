import { useNavigate } from "@tanstack/react-router";
import type { Deployment, Rollback } from "../../../sdk/src/generated/types.ts";
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
import { RollbackPreview } from "./rollback-preview.tsx";

/** For a deployment to several environments, the server checks the permission in each. */
function targetOf({ projectId, environmentId }: Deployment): Target {
  return { projectId, environmentId: environmentId ?? undefined };
}

const REFRESHED = ["deployments", "overview"] as const;

/** The actions of a deployment: whether its state and the user's role permit each, its question, and its work. */
export function useDeploymentActions(deployment: Deployment, isLive: boolean) {
  const { id, commit, branch } = deployment;
  const target = targetOf(deployment);
  const cancelling = useCan("cancel deployments", target).reason;
  const deploying = useCan("deploy", target).reason;
  const rolling = useCan("roll back", target).reason;
  const navigate = useNavigate();
  const follow = (made: Deployment) => void navigate({ to: paths.deployment(made.id) });
  return {
    cancel: {
      disabledReason: cancelling ?? reasonAgainstCancel(deployment),
      question: {
        title: "Cancel this deployment?",
        consequences: [
          "Services that are not live yet do not go live.",
          "Released services stay: Slipway does not restore the release before.",
        ],
        action: "Cancel it",
      },
      work: () => slipway.deployments.cancel(id),
      refreshes: REFRESHED,
      said: "Cancelling. Live services stay live.",
    },
    redeploy: {
      disabledReason: deploying ?? reasonAgainstRedeploy(deployment),
      question: {
        title: `Redeploy ${commit}?`,
        consequences: [
          `The same commit is built and released again: ${titleOfCommit(deployment)} (${commit}), on ${branch}.`,
          "It gets the present values of its variables.",
        ],
        action: "Redeploy",
        isSafe: true,
      },
      work: () => slipway.deployments.redeploy(id),
      refreshes: REFRESHED,
      onDone: follow,
    },
    rollBack: {
      disabledReason: rolling ?? reasonAgainstRollback({ ...deployment, isLive }),
      question: {
        title: `Roll back to ${commit}?`,
        consequences: [
          "A new deployment of this commit starts, with its configuration and what was built then.",
          "Domains, data, and variables set in the console or with the API stay as they are.",
        ],
        details: <RollbackPreview deploymentId={id} />,
        action: "Roll back",
      },
      work: () => slipway.deployments.rollback(id),
      refreshes: REFRESHED,
      onDone: (begun: Rollback) => follow(begun.deployment),
    },
  };
}

/** The actions of the page of a deployment, each a button. */
export function ActionButtons({
  deployment,
  isLive,
}: {
  readonly deployment: Deployment;
  /** Whether it is what runs now, in all of its environments. */
  readonly isLive: boolean;
}) {
  const { cancel, redeploy, rollBack } = useDeploymentActions(deployment, isLive);
  return (
    <>
      <ConfirmButton label="Cancel deployment" look="normal" {...cancel} {...cancel.question} />
      <ConfirmButton label="Redeploy" look="normal" {...redeploy} {...redeploy.question} />
      <ConfirmButton label="Roll back to this" look="normal" {...rollBack} {...rollBack.question} />
    </>
  );
}

/** As many letters as a commit is named by, so that the button does not move what is beside it. */
const UNKNOWN_COMMIT = "·".repeat(7);

/** Deploys the newest commit of the same branch, and names it. */
export function DeployNewestButton({
  deployment,
  environmentId,
}: {
  readonly deployment: Deployment;
  /** An environment of the deployment; undefined until it is known. */
  readonly environmentId: string | undefined;
}) {
  const { projectId, branch, commitHash } = deployment;
  const { reason } = useCan("deploy", targetOf(deployment));
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
      isSafe
      work={async () => {
        const { repoUrl } = await slipway.projects.get(projectId);
        const filter = { projectId, ...(isOne && environmentId !== undefined ? { environmentId } : {}) };
        return await slipway.deployments.create({ repoUrl, branch, filter });
      }}
      refreshes={REFRESHED}
      onDone={({ id }) => navigate({ to: paths.deployment(id) })}
    />
  );
}
