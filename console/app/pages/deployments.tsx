import { useSearch } from "@tanstack/react-router";
import { readAll, readPages, useLater, useList } from "../api/query.ts";
import { ProjectChoice } from "../components/choices.tsx";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Empty, Skeleton, Stack } from "../ui/layout.tsx";
import { DeploymentRows } from "./deployment-rows.tsx";
import { DeploymentStatistics } from "./deployment-statistics.tsx";

const OUTCOMES: readonly (readonly [string, string])[] = [
  ["", "Any"],
  ["SUCCESS", "Live"],
  ["ERROR", "Failed"],
  ["BUILD_ERROR", "Build failed"],
  ["BUILDING", "Building"],
  ["DEPLOYING", "Releasing"],
  ["PENDING", "Waiting"],
  ["PENDING_APPROVAL", "Awaiting approval"],
  ["CANCELLED", "Cancelled"],
  ["SUPERSEDED", "Replaced by a newer one"],
];

/** The deployments of all projects, newest first; filtered by the address. */
export function DeploymentsPage() {
  const search = useSearch({ from: "/shell/deployments" });
  const { projectId = "" } = search;
  const environments = useLater(readAll("environments", "list", projectId, {}), {
    isWanted: projectId !== "",
  });
  const list = useList(readPages("overview", "listDeployments", { order: "desc", ...search }), "deployments");
  const { isFiltered, count, set, clear, field } = useFilter(search);
  return (
    <Page title="Deployments" lead="Deployments of all projects, newest first.">
      <Stack>
        <Filters label="Filter the deployments" count={count}>
          <ProjectChoice
            {...field("projectId")}
            // An environment is of one project.
            onChange={(id) => set({ projectId: id, environmentId: "" })}
          />
          {projectId === "" ? null : (
            <SelectField
              label="Environment"
              options={[
                ["", "All environments"],
                ...(environments.data?.environments ?? []).map(({ id, name }) => [id, name] as const),
              ]}
              {...field("environmentId")}
            />
          )}
          <SelectField label="Outcome" options={OUTCOMES} {...field("status")} />
          <FilterText label="Branch" placeholder="main" {...field("branch")} />
        </Filters>
        {list.error === null ? null : <Problem error={list.error} />}
        {list.items === undefined ? (
          list.error === null ? (
            <Skeleton lines={10} label="Loading the deployments" />
          ) : null
        ) : list.items.length > 0 ? (
          <>
            <DeploymentStatistics projectId={search.projectId} />
            <DeploymentRows rows={list.items} more={moreOf(list)} />
          </>
        ) : isFiltered ? (
          <Empty
            title="No deployment matches the filter"
            action={<Button onClick={clear}>Clear the filter</Button>}
          />
        ) : (
          <Empty
            title="Nothing was deployed yet"
            action={<LinkButton to={paths.projects()}>Go to projects</LinkButton>}
          >
            A deployment builds a commit and releases it in the environments that follow its branch. Open a
            project and deploy it.
          </Empty>
        )}
      </Stack>
    </Page>
  );
}
