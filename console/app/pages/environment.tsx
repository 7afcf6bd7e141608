import { useParams } from "@tanstack/react-router";
import { targetOf } from "../api/deploy-choices.ts";
import { tellApproval, tellDeployers } from "../api/access-words.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { DeployButton } from "../components/deploy.tsx";
import { DeploymentsTable } from "../components/deployments-table.tsx";
import { EnvironmentFrame, tellTrigger } from "../components/environment-frame.tsx";
import { Link } from "../components/link.tsx";
import { SiteLink } from "../components/site-link.tsx";
import { Part } from "../components/part.tsx";
import { Notice } from "../components/problem.tsx";
import { tellServiceType } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import { CopyableId } from "../ui/copy.tsx";
import { Empty, Facts, Quiet, Section, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { Drift } from "./environment-drift.tsx";

const RECENT = 5;

export function EnvironmentPage() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId" });
  const environment = useRead(read("environments", "get", environmentId));
  const project = useRead(read("projects", "get", environment.projectId));
  const services = useRead(readAll("services", "list", environmentId, {})).services;
  const behind = services.filter(({ pendingRedeploy }) => pendingRedeploy !== null);
  return (
    <EnvironmentFrame
      environmentId={environmentId}
      actions={<DeployButton project={project} environments={[targetOf(environment)]} isOfEnvironment />}
    >
      <Stack>
        {behind.length === 0 ? null : (
          <Notice title="Some services run without their newest variables">
            <p>They get them with the next deployment.</p>
            <ul>
              {behind.map(({ id, name, pendingRedeploy }) => (
                <li key={id}>
                  <Link to={paths.service(id)}>{name}</Link>:{" "}
                  {pendingRedeploy?.variables.map((variable) => variable.name).join(", ")}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <Facts
          of={[
            ["Region", environment.region],
            ["Branch", environment.source.branch],
            ["When", tellTrigger(environment.source.trigger)],
            ["Who changes what runs", tellDeployers(environment.protection.deployers)],
            ["Who approves deployments", tellApproval(environment.protection.approval)],
            ["Id in the configuration", environment.configId],
            ["Id", <CopyableId key="id" text={environment.id} what="the id" />],
          ]}
        />
      </Stack>
      <Drift environmentId={environmentId} />
      <Section title="Services">
        {services.length === 0 ? (
          <Empty title="No services.">The configuration names none for this environment.</Empty>
        ) : (
          <Table
            caption="Services"
            rows={services}
            keyOf={({ id }) => id}
            columns={[
              { label: "Service", cell: ({ id, name }) => <Link to={paths.service(id)}>{name}</Link> },
              { label: "Kind", cell: ({ type }) => tellServiceType(type) },
              { label: "Address", cell: ({ cdnDomainName }) => <Address host={cdnDomainName} /> },
              { label: "Id in the configuration", cell: ({ configId }) => <code>{configId}</code> },
            ]}
          />
        )}
      </Section>
      <Recent environmentId={environmentId} />
    </EnvironmentFrame>
  );
}

function Address({ host }: { readonly host: string | null }) {
  if (host === null) return <Quiet>none</Quiet>;
  return <SiteLink host={host} />;
}

function Recent({ environmentId }: { readonly environmentId: string }) {
  const recent = useLater(
    read("overview", "listDeployments", { environmentId, order: "desc", limit: RECENT }),
  );
  return (
    <Section title="Recent deployments">
      <Part of={recent} lines={RECENT}>
        {({ deployments }) =>
          deployments.length === 0 ? (
            <Empty title="Never deployed." />
          ) : (
            <DeploymentsTable caption="Recent deployments" rows={deployments} />
          )
        }
      </Part>
    </Section>
  );
}
