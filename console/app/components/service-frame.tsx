import { Eraser, Globe, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { read, useRead } from "../api/query.ts";
import { formatServiceType, isPublic, isStore, runsCommands } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import { ActionMenu, menuEntry } from "./confirm.tsx";
import { copyItem } from "./copy-item.ts";
import { useInvalidation } from "./invalidation.ts";
import { Lead, type LeadFact } from "./lead.tsx";
import { Page } from "./page.tsx";
import { useRestart } from "./restart.tsx";
import { SERVICE_ICONS } from "./service-link.tsx";
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
  const { id, name, type, configId, cdnDomainName: host } = service;
  const restart = useRestart(service);
  const invalidation = useInvalidation(service);
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const address: readonly LeadFact[] =
    host === null ? [] : [[Globe, "Address", <SiteLink key="address" host={host} />]];
  return (
    <Page
      title={name}
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
        [environment.name, paths.environment(environment.id)],
      ]}
      lead={<Lead of={[[SERVICE_ICONS[type], "Type", formatServiceType(type)], ...address]} />}
      actions={
        <>
          {actions}
          <ActionMenu
            of={name}
            actions={[
              ...(restart === null ? [] : [menuEntry(restart, { label: "Restart", icon: RotateCw })]),
              ...(invalidation === null
                ? []
                : [menuEntry(invalidation, { label: "Empty the caches…", icon: Eraser })]),
              ...(host === null ? [] : [copyItem("the address", `https://${host}`)]),
              copyItem("the service id", id),
              copyItem("its id in the configuration", configId),
            ]}
          />
        </>
      }
      tabs={[
        ["Overview", paths.service(serviceId)],
        ...(isStore(type)
          ? []
          : ([
              ["Deployments", paths.serviceDeployments(serviceId)],
              ["Variables", paths.serviceVariables(serviceId)],
              ...(isPublic(service) ? ([["Domains", paths.serviceDomains(serviceId)]] as const) : []),
              ["Logs", paths.serviceLogs(serviceId)],
              ...(runsCommands(service)
                ? ([["Executions", paths.serviceExecutions(serviceId)]] as const)
                : []),
            ] as const)),
        ["Settings", paths.serviceSettings(serviceId)],
      ]}
    >
      {children}
    </Page>
  );
}
