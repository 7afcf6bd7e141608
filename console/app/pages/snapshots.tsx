import { useSearch } from "@tanstack/react-router";
import { useMe } from "../api/permissions.ts";
import { readAll, readPages, useLater, useList } from "../api/query.ts";
import { ProjectChoice } from "../components/choices.tsx";
import { DocsLink } from "../components/docs-link.tsx";
import { Filters, useFilter } from "../components/filters.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { SnapshotTable } from "../components/snapshot-table.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Fine, Stack } from "../ui/layout.tsx";

/** The snapshots of all data stores, also of deleted ones. */
export function SnapshotsPage() {
  const search = useSearch({ from: "/shell/snapshots" });
  const { isFiltered, count, clear, field } = useFilter(search);
  const list = useList(readPages("snapshots", "listAll", { order: "desc", ...search }), "snapshots");
  const rows = list.items ?? [];
  const { role } = useMe().permissions;
  return (
    <Page
      title="Snapshots"
      crumbs={[["Projects", paths.projects()]]}
      lead="Copies of the data of data stores, also the last ones of data stores that were deleted."
    >
      <Stack>
        {isFiltered || rows.length > 0 ? (
          <>
            <Filters label="Filter the snapshots" count={count}>
              <ProjectChoice {...field("projectId")} />
            </Filters>
            {rows.length === 0 ? (
              <Empty
                title="No snapshot of this project"
                action={<Button onClick={clear}>Show those of all projects</Button>}
              />
            ) : (
              <Rows rows={rows} more={moreOf(list)} />
            )}
          </>
        ) : (
          <Empty title="No snapshots yet" action={<DocsLink chapter="Snapshots" />}>
            Take one on the page of a data store that Slipway created. The last snapshot of a deleted data
            store is listed here, too.
          </Empty>
        )}
        {role === "admin" ? null : <Fine>Only admins see the snapshots of deleted projects.</Fine>}
      </Stack>
    </Page>
  );
}

function Rows({ rows, more }: Pick<Parameters<typeof SnapshotTable>[0], "rows" | "more">) {
  const stores = useLater(readAll("services", "listAll", {})).data?.services;
  const projects = useLater(readAll("projects", "list", {})).data?.projects;
  return <SnapshotTable isOfAll rows={rows} more={more} stores={stores} projects={projects} />;
}
