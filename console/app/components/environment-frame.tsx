import { GitBranch, GitPullRequest, LayoutTemplate, Lock, MapPin, Moon, Rocket } from "lucide-react";
import type { ReactNode } from "react";
import type { Environment, Preview } from "../../../sdk/src/generated/types.ts";
import { formatApproval, formatDeployers } from "../api/access-words.ts";
import { titleOfPreview } from "../api/preview-words.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { paths } from "../paths.ts";
import { Badge } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { ActionMenu } from "./confirm.tsx";
import { copyItem } from "./copy-item.ts";
import { GitLink } from "./git-link.tsx";
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
  const preview = usePreviewOf(environment.projectId, id, environment.templateId);
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
      beside={
        environment.isTemplate ? (
          <Badge tone="calm">Template</Badge>
        ) : environment.templateId === null ? null : (
          <Badge tone="calm">Preview</Badge>
        )
      }
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
      ]}
      lead={
        <Lead
          of={[
            [GitBranch, "Branch", source.branch],
            [Rocket, "Deployments", formatTrigger({ ...environment, source })],
            [MapPin, "Region", region],
            ...locked,
            ...(environment.templateId === null ? [] : previewFacts(preview, environment.templateId)),
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

/** The preview that an environment is; undefined for other environments. `loadEnvironment` reads it. */
function usePreviewOf(projectId: string, environmentId: string, templateId: string | null) {
  const list = useLater(readAll("previews", "list", { projectId }), { isWanted: templateId !== null });
  return list.data?.previews.find((one) => one.environmentId === environmentId);
}

/** What a preview is of, and what it was made from. */
function previewFacts(preview: Preview | undefined, templateId: string): readonly LeadFact[] {
  const { pullRequest = null, sleepingSince = null } = preview ?? {};
  return [
    ...(preview === undefined || pullRequest === null
      ? []
      : [
          [
            GitPullRequest,
            "Pull request",
            <GitLink key="request" url={pullRequest.url}>
              {titleOfPreview(preview)}
            </GitLink>,
          ] as const,
        ]),
    ...(sleepingSince === null
      ? []
      : [
          [
            Moon,
            "Asleep",
            <span key="asleep">
              fell asleep <When at={sleepingSince} />
            </span>,
          ] as const,
        ]),
    [
      LayoutTemplate,
      "Made from",
      <Link key="template" to={paths.environment(templateId)}>
        its template
      </Link>,
    ],
  ];
}

/** When an environment is deployed, in words. */
export function formatTrigger({
  source,
  isTemplate,
  templateId,
}: Pick<Environment, "source" | "isTemplate" | "templateId">): string {
  if (isTemplate) return "not deployed itself";
  if (templateId !== null) return "deployed with each commit";
  return source.trigger === "push" ? "deployed when the branch moves" : "deployed by hand";
}

/** Who deploys and who approves, where that is not the usual; otherwise nothing. */
function describeLocks({ deployers, approval }: Environment["protection"]): string {
  return [
    ...(deployers === "admin" ? [`deployers: ${decapitalize(formatDeployers(deployers))}`] : []),
    ...(approval === null ? [] : [`approval: ${decapitalize(formatApproval(approval))}`]),
  ].join(", ");
}

const decapitalize = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);
