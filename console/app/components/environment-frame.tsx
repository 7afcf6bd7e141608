import type { ReactNode } from "react";
import { read, useRead } from "../api/query.ts";
import { paths } from "../paths.ts";
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
  const environment = useRead(read("environments", "get", environmentId));
  const project = useRead(read("projects", "get", environment.projectId));
  useQuickActions([
    { label: `Go to the protection of ${environment.name}`, to: paths.environmentProtection(environmentId) },
  ]);
  return (
    <Page
      title={environment.name}
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
      ]}
      lead={`${environment.region} · branch ${environment.source.branch} · ${tellTrigger(environment.source.trigger)}`}
      actions={actions}
      tabs={[
        ["Overview", paths.environment(environmentId)],
        ["Map", paths.environmentGraph(environmentId)],
        ["Variables", paths.environmentVariables(environmentId)],
        ["Protection", paths.environmentProtection(environmentId)],
      ]}
    >
      {children}
    </Page>
  );
}

/** When an environment is deployed, in words. */
export function tellTrigger(trigger: string): string {
  return trigger === "push" ? "deployed when the branch moves" : "deployed by hand";
}
