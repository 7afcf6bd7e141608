import type { Service } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { read, readPages, useList, useRead } from "../api/query.ts";
import { reasonAgainstSnapshot } from "../api/snapshot-words.ts";
import { ActionButton } from "../components/confirm.tsx";
import { DocsLink } from "../components/docs-link.tsx";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { SnapshotTable } from "../components/snapshot-table.tsx";
import { paths } from "../paths.ts";
import { Empty, Fine, Section, Skeleton } from "../ui/layout.tsx";

/** The snapshots of a data store that Slipway created, and the button that takes one. */
export function StoreSnapshots({
  service,
  of,
}: {
  readonly service: Service;
  readonly of: NonNullable<Service["dataStore"]>;
}) {
  const { id, projectId, environmentId } = service;
  const project = useRead(read("projects", "get", projectId));
  const { cloud } = useMe();
  const { reason } = useCan("take snapshots", { projectId, environmentId });
  const list = useList(readPages("snapshots", "list", id, { order: "desc" }), "snapshots");
  const rows = list.items;
  return (
    <Section
      title="Snapshots"
      actions={
        <>
          <Link to={paths.snapshots()} search={{ projectId }}>
            All of {project.name}
          </Link>
          <ActionButton
            label="Take a snapshot"
            disabledReason={reason ?? reasonAgainstSnapshot(of, rows ?? [])}
            work={() => slipway.snapshots.create(id)}
            said="The snapshot is being taken."
            refreshes={["snapshots"]}
          />
        </>
      }
    >
      {list.error !== null ? (
        <Problem error={list.error} />
      ) : rows === undefined ? (
        <Skeleton lines={3} label="Loading the snapshots" />
      ) : rows.length === 0 ? (
        <Empty title="No snapshots yet" action={<DocsLink chapter="Snapshots" />}>
          A snapshot is a copy of the data. Take one before a risky change: a new data store can be created
          from it.
        </Empty>
      ) : (
        <SnapshotTable rows={rows} more={moreOf(list)} stores={[service]} projects={[project]} />
      )}
      <Fine>
        Snapshots are kept until someone deletes them, also when the data store is deleted.
        {cloud === "sandbox" ? " The sandbox stops the data store while it copies the data." : null}
      </Fine>
    </Section>
  );
}
