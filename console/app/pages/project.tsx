import { useParams } from "@tanstack/react-router";
import type {
  EnvironmentRow,
  LastDeployment,
  ProjectRow,
  Service,
} from "../../../sdk/src/generated/types.ts";
import { targetOf } from "../api/deploy-choices.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { DeployButton } from "../components/deploy.tsx";
import { DeploymentsTable } from "../components/deployments-table.tsx";
import { tellTrigger } from "../components/environment-frame.tsx";
import { Link } from "../components/link.tsx";
import { SiteLink } from "../components/site-link.tsx";
import { Part } from "../components/part.tsx";
import { DeploymentPictures } from "../components/pictures.tsx";
import { ProjectFrame } from "../components/project-frame.tsx";
import { tellServiceType } from "../api/service-words.ts";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { CopyableId } from "../ui/copy.tsx";
import { Empty, Facts, Quiet, Section, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import css from "./project.module.css";

const RECENT = 5;

export function ProjectPage() {
  const { projectId } = useParams({ from: "/shell/projects/$projectId" });
  const project = useRead(read("projects", "get", projectId));
  const { environments, awsAccount } = useRead(read("overview", "getProject", projectId));
  const { services } = useRead(readAll("services", "listOfProject", projectId, {}));
  const targets = environments.map(targetOf);
  return (
    <ProjectFrame projectId={projectId} actions={<DeployButton project={project} environments={targets} />}>
      <Stack>
        <Facts
          of={[
            ["Repository", <RepositoryLink key="repository" url={project.repoUrl} />],
            ["Cloud account", <Account key="account" id={project.awsAccountId} account={awsAccount} />],
            [
              "Configuration",
              project.configType === "iac"
                ? `${project.configFilePath ?? ""} on ${project.configFileBranch ?? ""}`
                : "entered in Slipway",
            ],
            ["Created", <When key="created" at={project.createdAt} />],
            ["Id", <CopyableId key="id" text={project.id} what="the id" />],
          ]}
        />
      </Stack>
      <Section title="Environments">
        {environments.length === 0 ? (
          <Empty title="No environments yet.">
            They are made with the first deployment, from the configuration in the repository.
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
      <Recent projectId={projectId} />
    </ProjectFrame>
  );
}

/** The names of the sandbox's git host end with `.test`, and no browser finds them. */
function RepositoryLink({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url) || new URL(url).hostname.endsWith(".test")) return <span>{url}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url.replace(/^https?:\/\//, "")}
    </a>
  );
}

function Account({ id, account }: { readonly id: string; readonly account: ProjectRow["awsAccount"] }) {
  return (
    <>
      <Link to={paths.account(id)}>{account?.name ?? "The account"}</Link>{" "}
      {account === null ? null : <Status of={account.status} />}
    </>
  );
}

function EnvironmentCard({
  environment,
  services,
}: {
  readonly environment: EnvironmentRow;
  readonly services: readonly Service[];
}) {
  const { id, name, region, source, lastDeployment } = environment;
  return (
    <article className={css["environment"]} aria-label={name}>
      <h3>
        <Link to={paths.environment(id)}>{name}</Link>
      </h3>
      <p>
        <Quiet>
          {region} · branch {source.branch} · {tellTrigger(source.trigger)}
        </Quiet>
      </p>
      {lastDeployment === null ? <Quiet>never deployed</Quiet> : <Last of={lastDeployment} />}
      <Services services={services} />
    </article>
  );
}

function Last({ of: deployment }: { readonly of: LastDeployment }) {
  return (
    <p>
      <Status of={deployment.status} />{" "}
      <Link to={paths.deployment(deployment.id)}>{titleOfCommit(deployment)}</Link>
      <br />
      <small>
        <code>{deployment.commit}</code> <When at={deployment.createdAt} />
      </small>
    </p>
  );
}

function Services({ services }: { readonly services: readonly Service[] }) {
  return (
    <ul className={css["services"]}>
      {services.map(({ id, name, type, cdnDomainName, pendingRedeploy }) => (
        <li key={id}>
          <Link to={paths.service(id)}>{name}</Link> <small>{tellServiceType(type)}</small>
          {cdnDomainName === null ? null : (
            <>
              <br />
              <SiteLink host={cdnDomainName} />
            </>
          )}
          {pendingRedeploy === null ? null : (
            <>
              <br />
              <small>runs without its newest variables</small>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Recent({ projectId }: { readonly projectId: string }) {
  const recent = useLater(read("overview", "listDeployments", { projectId, order: "desc", limit: RECENT }));
  return (
    <Section
      title="Recent deployments"
      actions={
        <Link to={paths.deployments()} search={{ projectId }}>
          All deployments
        </Link>
      }
    >
      <Part of={recent} lines={RECENT}>
        {({ deployments }) =>
          deployments.length === 0 ? (
            <Empty title="No deployments yet.">Deploy to build the repository and to run it.</Empty>
          ) : (
            <>
              <DeploymentsTable caption="Recent deployments" rows={deployments} hasProject={false} />
              <DeploymentPictures projectId={projectId} />
            </>
          )
        }
      </Part>
    </Section>
  );
}
