import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { DeploymentDetails, EnvironmentRun } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { failureOf, tellDeploymentTrigger, titleOfCommit } from "../api/deployment-rules.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Copyable } from "../ui/copy.tsx";
import { SelectField } from "../ui/field.tsx";
import { Facts, Section, Stack } from "../ui/layout.tsx";
import { LogView } from "../ui/log-view.tsx";
import { Lasted, When } from "../ui/time.tsx";
import { CancelButton, DeployNewestButton, RedeployButton, RollbackButton } from "./deployment-actions.tsx";
import { Approvals } from "./deployment-approvals.tsx";
import { Comparison } from "./deployment-comparison.tsx";
import { FailureBox } from "./deployment-failure.tsx";
import { type DeploymentLogRow, useDeploymentLog } from "./deployment-log.ts";
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
  const plan = useLater(read("deployments", "planRollback", deploymentId), {
    isWanted: deployment.status === "SUCCESS",
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
          <CancelButton deployment={deployment} />
          <RedeployButton deployment={deployment} />
          <DeployNewestButton
            deployment={deployment}
            environmentId={deployment.environmentId ?? deployment.environments[0]?.id}
          />
          <RollbackButton deployment={deployment} isLive={isLive} />
        </>
      }
    >
      <Stack>
        <FailureBox failure={failure} rows={log.rows} />
        <Approvals deployment={deployment} nameOf={nameOf} />
        {deployment.error === null && deployment.statusReason !== null && !isHeld ? (
          <p>{deployment.statusReason}</p>
        ) : null}
        <Steps deployment={deployment} />
        <DeploymentFacts
          deployment={deployment}
          live={
            deployment.status !== "SUCCESS"
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
      </Stack>
      <DeploymentLog deployment={deployment} log={log} />
      <Comparison deployment={deployment} project={project} />
    </Page>
  );
}

function DeploymentFacts({
  deployment,
  live,
}: {
  readonly deployment: DeploymentDetails;
  /** Where it is what runs now; null: it never was. */
  readonly live: string | null;
}) {
  const { branch, commitAuthor, commitHash, commit, trigger, startedBy, rollbackOf, createdAt, endedAt } =
    deployment;
  const { data } = useLater(readAll("users", "list", {}));
  const starter = data?.users.find(({ id }) => id === startedBy)?.name;
  return (
    <Facts
      of={[
        ["Branch", branch],
        ["Author", commitAuthor],
        ["Commit", <Copyable text={commitHash} shown={commit} what="the commit" />],
        [
          "Started by",
          rollbackOf === null ? (
            starter === undefined ? (
              tellDeploymentTrigger(trigger)
            ) : (
              `${starter}, ${tellDeploymentTrigger(trigger).toLowerCase()}`
            )
          ) : (
            <>
              {starter === undefined ? "" : `${starter}, `}
              <Link to={paths.deployment(rollbackOf)}>rollback to an earlier one</Link>
            </>
          ),
        ],
        ["Live now", live],
        ["Requested", <When at={createdAt} />],
        ["Took", <Lasted from={createdAt} to={endedAt} />],
      ]}
    />
  );
}

function DeploymentLog({
  deployment,
  log,
}: {
  readonly deployment: DeploymentDetails;
  readonly log: ReturnType<typeof useDeploymentLog>;
}) {
  const search = useSearch({ from: "/shell/deployments/$deploymentId" });
  const navigate = useNavigate();
  const { service = "", line } = search;
  const rows: readonly DeploymentLogRow[] = useMemo(
    () => (service === "" ? log.rows : log.rows.filter(({ serviceId }) => serviceId === service)),
    [log.rows, service],
  );
  const choices = deployment.services.filter(({ type }) => type !== "external");
  return (
    <Section title="Log">
      {log.error === null ? null : <Problem error={log.error} />}
      <LogView
        label="Log"
        rows={rows}
        state={log.isLive ? "live" : ""}
        empty={log.isLive ? "Nothing was printed yet." : "Nothing was printed."}
        fileName={`deployment-${deployment.commit}.log`}
        chosen={line ?? null}
        onChoose={(chosen) => {
          const address = new URL(globalThis.location.href);
          address.searchParams.set("line", String(chosen));
          void navigate({
            to: ".",
            search: { ...search, line: chosen } as never,
            replace: true,
            resetScroll: false,
          });
          return address.href;
        }}
        controls={
          <SelectField
            label="Service"
            name="service"
            value={service}
            options={[["", "All services"], ...choices.map(({ id, name }) => [id, name] as const)]}
            onChange={(chosen) =>
              void navigate({
                to: ".",
                search: { ...search, service: chosen === "" ? undefined : chosen, line: undefined } as never,
                replace: true,
                resetScroll: false,
              })
            }
            fault={null}
          />
        }
      />
    </Section>
  );
}
