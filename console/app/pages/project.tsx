import { useParams } from "@tanstack/react-router";
import { Cloud } from "lucide-react";
import type { ProjectRow } from "../../../sdk/src/generated/types.ts";
import { targetOf } from "../api/deploy-choices.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { DeployButton } from "../components/deploy.tsx";
import { Link } from "../components/link.tsx";
import { ProjectFrame } from "../components/project-frame.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Section } from "../ui/layout.tsx";
import { DeploymentStatistics } from "./deployment-statistics.tsx";
import { EnvironmentCard } from "./project-environment.tsx";
import { ProjectAttention } from "./project-attention.tsx";
import { ProjectPreviews } from "./project-previews.tsx";
import { StoreDeletions } from "./store-deletions.tsx";
import css from "./project.module.css";
import { RecentDeployments } from "./recent-deployments.tsx";

export function ProjectPage() {
  const { projectId } = useParams({ from: "/shell/projects/$projectId" });
  const project = useRead(read("projects", "get", projectId));
  const overview = useRead(read("overview", "getProject", projectId));
  const { services } = useRead(readAll("services", "listOfProject", projectId, {}));
  const { previews } = useRead(readAll("previews", "list", { projectId }));
  const { awsAccount } = overview;
  // Previews have a list of their own.
  const environments = overview.environments.filter(({ templateId }) => templateId === null);
  const deployable = environments.filter(({ isTemplate }) => !isTemplate);
  return (
    <ProjectFrame
      projectId={projectId}
      facts={[
        [Cloud, "Cloud account", <Account key="account" id={project.awsAccountId} account={awsAccount} />],
      ]}
      actions={<DeployButton project={project} environments={deployable.map(targetOf)} />}
    >
      <ProjectAttention project={overview} services={services} />
      <Section title="Environments">
        {environments.length === 0 ? (
          <Empty title="No environments yet." action={<DocsLink chapter="Projects" />}>
            An environment is a copy of the project that runs in one region, from one branch. Deploy the
            project: its configuration says which environments there are.
          </Empty>
        ) : (
          <div className={css["environments"]}>
            {environments.map((environment) => (
              <EnvironmentCard
                key={environment.id}
                environment={environment}
                services={services.filter(({ environmentId }) => environmentId === environment.id)}
              />
            ))}
          </div>
        )}
      </Section>
      <StoreDeletions projectId={projectId} />
      <ProjectPreviews project={overview} previews={previews} services={services} />
      <RecentDeployments
        of={{ projectId }}
        empty={
          <Empty title="No deployments yet." action={<DocsLink chapter="Deployments" />}>
            Deploy to build the repository and to run it.
          </Empty>
        }
        after={<DeploymentStatistics projectId={projectId} />}
      />
    </ProjectFrame>
  );
}

function Account({ id, account }: { readonly id: string; readonly account: ProjectRow["awsAccount"] }) {
  return (
    <>
      <Link to={paths.account(id)}>{account?.name ?? "Cloud account"}</Link>
      {account === null || account.status === "CONNECTED" ? null : (
        <>
          {" "}
          <Status of={account.status} />
        </>
      )}
    </>
  );
}
