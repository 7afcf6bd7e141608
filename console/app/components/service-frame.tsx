import type { ReactNode } from "react";
import { read, useRead } from "../api/query.ts";
import { tellServiceType } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import { Page } from "./page.tsx";
import { SiteLink } from "./site-link.tsx";

/** Every page of a service: its heading, what is above it, and its other pages. Its loader is `loadService`. */
export function ServiceFrame({
  serviceId,
  actions,
  children,
}: {
  readonly serviceId: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const address = service.cdnDomainName;
  return (
    <Page
      title={service.name}
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
        [environment.name, paths.environment(environment.id)],
      ]}
      lead={
        <>
          {tellServiceType(service.type)}
          {address === null ? null : (
            <>
              {" · "}
              <SiteLink host={address} />
            </>
          )}
        </>
      }
      actions={actions}
      tabs={[
        ["Overview", paths.service(serviceId)],
        ["Deployments", paths.serviceDeployments(serviceId)],
        ["Variables", paths.serviceVariables(serviceId)],
        ["Domains", paths.serviceDomains(serviceId)],
        ["Logs", paths.serviceLogs(serviceId)],
        ["Settings", paths.serviceSettings(serviceId)],
      ]}
    >
      {children}
    </Page>
  );
}
