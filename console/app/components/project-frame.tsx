import { useNavigate } from "@tanstack/react-router";
import { DatabaseBackup, FileCode, GitBranch } from "lucide-react";
import type { ReactNode } from "react";
import { read, useRead } from "../api/query.ts";
import { paths } from "../paths.ts";
import { ActionMenu } from "./confirm.tsx";
import { copyItem } from "./copy-item.ts";
import { GitLink } from "./git-link.tsx";
import { Lead, type LeadFact } from "./lead.tsx";
import { Page } from "./page.tsx";
import { useQuickActions } from "./quick-actions.ts";
import { Status } from "./status.tsx";

/** Every page of a project: its heading and its other pages. Its loader reads the project. */
export function ProjectFrame({
  projectId,
  facts = [],
  actions,
  children,
}: {
  readonly projectId: string;
  /** In the line below the heading, after those of every page. */
  readonly facts?: readonly LeadFact[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const navigate = useNavigate();
  const { id, name, status, ...project } = useRead(read("projects", "get", projectId));
  useQuickActions([{ label: `Go to the members of ${name}`, to: paths.projectMembers(projectId) }]);
  const config =
    project.configType === "iac"
      ? `${project.configFilePath ?? ""} on ${project.configFileBranch ?? ""}`
      : "entered in Slipway";
  return (
    <Page
      title={name}
      beside={status === "ACTIVE" ? null : <Status of={status} />}
      crumbs={[["Projects", paths.projects()]]}
      lead={
        <Lead
          of={[
            [GitBranch, "Repository", <RepositoryLink key="repository" url={project.repoUrl} />],
            [FileCode, "Configuration", config],
            ...facts,
          ]}
        />
      }
      actions={
        <>
          {actions}
          <ActionMenu
            of={name}
            actions={[
              {
                label: "Snapshots of data stores",
                icon: DatabaseBackup,
                onSelect: () => void navigate({ to: paths.snapshots(), search: { projectId: id } as never }),
              },
              copyItem("the project id", id),
              copyItem("the repository's address", project.repoUrl),
            ]}
          />
        </>
      }
      tabs={[
        ["Overview", paths.project(projectId)],
        ["Members", paths.projectMembers(projectId)],
        ["Settings", paths.projectSettings(projectId)],
      ]}
    >
      {children}
    </Page>
  );
}

function RepositoryLink({ url }: { readonly url: string }) {
  return <GitLink url={url}>{url.replace(/^https?:\/\//, "").replace(/\.git$/, "")}</GitLink>;
}
