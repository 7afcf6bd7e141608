import { GitBranch, Lock, MapPin, Rocket } from "lucide-react";
import type { ReactNode } from "react";
import { read, readAll, useRead } from "../api/query.ts";
import { paths } from "../paths.ts";
import { ActionMenu } from "./confirm.tsx";
import { copyItem } from "./copy-item.ts";
import { Lead, type LeadFact } from "./lead.tsx";
import { Link } from "./link.tsx";
import { Page } from "./page.tsx";
import { useQuickActions } from "./quick-actions.ts";

/** Every page of an environment: its heading, what is above it, and its other pages. Its loader is `loadEnvironment`. */
export function EnvironmentFrame({
  environmentId,
  actions,
  children,
}: {
  readonly environmentId: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { id, name, region, source, protection, ...environment } = useRead(
    read("environments", "get", environmentId),
  );
  const project = useRead(read("projects", "get", environment.projectId));
  const { services } = useRead(readAll("services", "list", environmentId, {}));
  const toProtection = paths.environmentProtection(environmentId);
  useQuickActions([{ label: `Go to the protection of ${name}`, to: toProtection }]);
  const isProtected = protection.deployers === "admin" || protection.approval !== null;
  const locked: readonly LeadFact[] = isProtected
    ? [
        [
          Lock,
          "Protection",
          <Link key="protection" to={toProtection}>
            {protection.approval === null ? "only admins deploy" : "deployments need an approval"}
          </Link>,
        ],
      ]
    : [];
  return (
    <Page
      title={name}
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
      ]}
      lead={
        <Lead
          of={[
            [GitBranch, "Branch", source.branch],
            [Rocket, "Deployments", formatTrigger(source.trigger)],
            [MapPin, "Region", region],
            ...locked,
          ]}
        />
      }
      actions={
        <>
          {actions}
          <ActionMenu
            of={name}
            actions={[
              copyItem("the environment id", id),
              copyItem("its id in the configuration", environment.configId),
            ]}
          />
        </>
      }
      tabs={[
        ["Overview", paths.environment(environmentId)],
        ["Variables", paths.environmentVariables(environmentId)],
        ["Protection", toProtection],
        // One service refers to none.
        ...(services.length > 1 ? [["Map", paths.environmentGraph(environmentId)] as const] : []),
      ]}
    >
      {children}
    </Page>
  );
}

/** When an environment is deployed, in words. */
export function formatTrigger(trigger: string): string {
  return trigger === "push" ? "deployed when the branch moves" : "deployed by hand";
}
