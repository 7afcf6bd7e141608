import { useParams } from "@tanstack/react-router";
import type { Service } from "../../../sdk/src/generated/types.ts";
import { targetOf } from "../api/deploy-choices.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { formatServiceType } from "../api/service-words.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { DeployButton } from "../components/deploy.tsx";
import { EnvironmentFrame } from "../components/environment-frame.tsx";
import { Link } from "../components/link.tsx";
import { OlderVariables } from "../components/pending-redeploy.tsx";
import { ServiceAddress, ServiceHealth } from "../components/service-health.tsx";
import { ServiceLink } from "../components/service-link.tsx";
import { SiteNote } from "../components/site-link.tsx";
import { paths } from "../paths.ts";
import { Empty, Section, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { Drift } from "./environment-drift.tsx";
import { RecentDeployments } from "./recent-deployments.tsx";

export function EnvironmentPage() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId" });
  const environment = useRead(read("environments", "get", environmentId));
  const { isTemplate, templateId } = environment;
  const project = useRead(read("projects", "get", environment.projectId));
  const { services } = useRead(readAll("services", "list", environmentId, {}));
  // It has the domain of previews, and is never deployed.
  const isDeployed = !isTemplate && !services.some(({ type }) => type === "previews");
  return (
    <EnvironmentFrame
      environmentId={environmentId}
      actions={
        !isDeployed ? null : (
          <DeployButton project={project} environments={[targetOf(environment)]} isOfEnvironment />
        )
      }
    >
      <Stack>
        <OlderVariables services={services} environment={environment.name} />
        {/* A preview follows its pull request, whose branch may be in another repository. */}
        {isTemplate || templateId !== null ? null : <Drift environmentId={environmentId} />}
      </Stack>
      <Section title="Services">
        {isTemplate ? (
          <Empty
            title="Its previews have the services."
            action={<Link to={paths.project(project.id)}>Previews of {project.name}</Link>}
          >
            This environment is a template. Each pull request gets an environment with the services of the
            configuration, and with the <Link to={paths.environmentVariables(environmentId)}>variables</Link>{" "}
            of this template. <DocsLink chapter="Previews" />
          </Empty>
        ) : services.length === 0 ? (
          <Empty title="No services." action={<DocsLink chapter="Projects" />}>
            A service is a site, a server or a worker. Add one to this environment in the configuration of{" "}
            <Link to={paths.projectSettings(project.id)}>{project.name}</Link>, and deploy.
          </Empty>
        ) : (
          <Services services={services} />
        )}
      </Section>
      {!isDeployed ? null : (
        <RecentDeployments
          of={{ environmentId }}
          empty={
            <Empty title="Never deployed." action={<DocsLink chapter="Deployments" />}>
              Deploy to build the repository and to run its services here.
            </Empty>
          }
        />
      )}
    </EnvironmentFrame>
  );
}

function Services({ services }: { readonly services: readonly Service[] }) {
  return (
    <>
      <Table
        caption="Services"
        rows={services}
        keyOf={({ id }) => id}
        filterBy={({ name, type, cdnDomainName }) =>
          `${name} ${formatServiceType(type)} ${cdnDomainName ?? ""}`
        }
        columns={[
          {
            label: "Service",
            share: 26,
            cell: (service) => <ServiceLink service={service} />,
            sortBy: ({ name }) => name,
          },
          { label: "Status", share: 20, cell: (service) => <ServiceHealth service={service} /> },
          {
            label: "Type",
            share: 16,
            cell: ({ type }) => formatServiceType(type),
            sortBy: ({ type }) => formatServiceType(type),
          },
          {
            label: "Address",
            share: 38,
            cell: (service) => <ServiceAddress service={service} />,
          },
        ]}
      />
      <SiteNote />
    </>
  );
}
