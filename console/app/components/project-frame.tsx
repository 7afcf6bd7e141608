import type { ReactNode } from "react";
import { read, useRead } from "../api/query.ts";
import { paths } from "../paths.ts";
import { Page } from "./page.tsx";
import { useQuickActions } from "./quick-actions.ts";
import { Status } from "./status.tsx";

/** Every page of a project: its heading and its other pages. Its loader reads the project. */
export function ProjectFrame({
  projectId,
  actions,
  children,
}: {
  readonly projectId: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const project = useRead(read("projects", "get", projectId));
  useQuickActions([{ label: `Go to the members of ${project.name}`, to: paths.projectMembers(projectId) }]);
  return (
    <Page
      title={project.name}
      beside={<Status of={project.status} />}
      crumbs={[["Projects", paths.projects()]]}
      actions={actions}
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
