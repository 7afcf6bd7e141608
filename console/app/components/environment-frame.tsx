import { GitBranch, Lock, MapPin, Rocket } from "lucide-react";
import type { ReactNode } from "react";
import type { Environment } from "../../../sdk/src/generated/types.ts";
import { formatApproval, formatDeployers } from "../api/access-words.ts";
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
  const locks = describeLocks(protection);
  const locked: readonly LeadFact[] =
    locks === ""
      ? []
      : [
          [
            Lock,
            "Protection",
            <Link key="protection" to={toProtection}>
              {locks}
            </Link>,
          ],
        ];
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

/** Who deploys and who approves, where that is not the usual; otherwise nothing. */
function describeLocks({ deployers, approval }: Environment["protection"]): string {
  return [
    ...(deployers === "admin" ? [`deployers: ${decapitalize(formatDeployers(deployers))}`] : []),
    ...(approval === null ? [] : [`approval: ${decapitalize(formatApproval(approval))}`]),
  ].join(", ");
}

const decapitalize = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);
