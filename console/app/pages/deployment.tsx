import { useParams } from "@tanstack/react-router";
import type { EnvironmentRun } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { failureOf, titleOfCommit } from "../api/deployment-rules.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { Page } from "../components/page.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Section, Stack } from "../ui/layout.tsx";
import { ActionButtons, DeployNewestButton } from "./deployment-actions.tsx";
import { Approvals } from "./deployment-approvals.tsx";
import { Comparison } from "./deployment-comparison.tsx";
import { DeploymentFacts } from "./deployment-facts.tsx";
import { FailureBox } from "./deployment-failure.tsx";
import { useDeploymentLog } from "./deployment-log.ts";
import { DeploymentLog } from "./deployment-log-view.tsx";
import { RunCard } from "./deployment-run.tsx";
import { Steps } from "./deployment-steps.tsx";

/** A deployment while it runs and after it: what failed comes first. */
export function DeploymentPage() {
  const { deploymentId } = useParams({ from: "/shell/deployments/$deploymentId" });
  // The log and what was chosen in it are of one deployment.
  return <OneDeployment key={deploymentId} deploymentId={deploymentId} />;
}

function OneDeployment({ deploymentId }: { readonly deploymentId: string }) {
  const reading = read("deployments", "get", deploymentId);
  const deployment = useRead(reading);
  const project = useRead(read("projects", "get", deployment.projectId));
  const log = useDeploymentLog(deploymentId);
  useFollow(
    reading,
    (options) => slipway.deployments.watch(deploymentId, options),
    deployment.endedAt === null,
  );
  const named = useLater(readAll("environments", "list", deployment.projectId, {})).data?.environments;
  const nameOf = ({ id, configId }: Pick<EnvironmentRun, "id" | "configId">) =>
    named?.find((environment) => environment.id === id)?.name ?? configId;
  const failure = failureOf(deployment, nameOf);
  const isRestart = deployment.trigger === "restart";
  const plan = useLater(read("deployments", "planRollback", deploymentId), {
    isWanted: deployment.status === "SUCCESS" && !isRestart,
  }).data;
  const liveIn = (plan?.environments ?? []).filter((environment) => environment.isLive);
  const isLive = liveIn.length > 0 && liveIn.length === plan?.environments.length;
  // The approvals say it.
  const isHeld = deployment.status === "PENDING_APPROVAL";
  const isEnding = deployment.cancelRequestedAt !== null && deployment.endedAt === null;
  return (
    <Page
      title={`Deployment ${deployment.commit}`}
      crumbs={[
        ["Deployments", paths.deployments()],
        [project.name, paths.project(project.id)],
      ]}
      beside={<Status of={deployment.status} words={isEnding ? "Cancelling" : undefined} />}
      lead={titleOfCommit(deployment)}
      actions={
        <>
          <ActionButtons deployment={deployment} isLive={isLive} />
          <DeployNewestButton
            deployment={deployment}
            environmentId={deployment.environmentId ?? deployment.environments[0]?.id}
          />
        </>
      }
    >
      <Stack>
        <FailureBox failure={failure} rows={log.rows} isLoading={log.isLive && log.rows.length === 0} />
        <Approvals deployment={deployment} nameOf={nameOf} />
        {deployment.error === null && deployment.statusReason !== null && !isHeld ? (
          <p>{deployment.statusReason}</p>
        ) : null}
        <Steps deployment={deployment} />
      </Stack>
      <DeploymentLog deployment={deployment} log={log} />
      <Section title="About it">
        <DeploymentFacts
          deployment={deployment}
          project={project}
          live={
            deployment.status !== "SUCCESS" || isRestart
              ? null
              : plan === undefined
                ? "…"
                : liveIn.length === 0
                  ? "no longer"
                  : `in ${liveIn.map(({ name }) => name).join(", ")}`
          }
        />
        {deployment.environments.map((run) => (
          <RunCard
            key={run.id}
            run={run}
            name={nameOf(run)}
            said={failure?.error.message ?? null}
            services={deployment.services.filter(({ environmentId }) => environmentId === run.id)}
          />
        ))}
      </Section>
      {isRestart ? null : <Comparison deployment={deployment} project={project} />}
    </Page>
  );
}
