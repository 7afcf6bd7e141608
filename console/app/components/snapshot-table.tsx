import type { Project, Service, Snapshot } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, useLater } from "../api/query.ts";
import {
  isChanging,
  reasonAgainstDeletion,
  tellBytes,
  tellFailure,
  tellReason,
} from "../api/snapshot-words.ts";
import { useRefresh } from "../live/use-refresh.ts";
import { paths } from "../paths.ts";
import { CopyableId } from "../ui/copy.tsx";
import { Quiet } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { tellInstant } from "../ui/time.tsx";
import { ActionMenu } from "./confirm.tsx";
import { copyItem } from "./copy-item.ts";
import { deleteItem } from "./delete-item.ts";
import { Link } from "./link.tsx";
import type { moreOf } from "./more.ts";
import { RestoreButton } from "./restore-snapshot.tsx";
import { Status } from "./status.tsx";

type Props = {
  readonly rows: readonly Snapshot[];
  readonly more: ReturnType<typeof moreOf>;
  /** Those of the rows' data stores that exist, and their projects; undefined until they are known. */
  readonly stores: readonly Service[] | undefined;
  readonly projects: readonly Project[] | undefined;
  /** They are of several data stores. */
  readonly isOfAll?: boolean;
};

/** A deletion emits no event. */
const EVERY_MS = 3_000;

/** Snapshots, newest first, with what can be done to each. */
export function SnapshotTable({ rows, more, stores, projects, isOfAll = false }: Props) {
  useRefresh("snapshots", isOfAll ? "listAll" : "list", EVERY_MS, rows.some(isChanging));
  const users = useLater(readAll("users", "list", {})).data?.users;
  const nameOf = (id: string | null) => users?.find((user) => user.id === id)?.name ?? null;
  const storeOf = ({ serviceId }: Snapshot) => stores?.find(({ id }) => id === serviceId);
  const projectOf = ({ projectId }: Snapshot) => projects?.find(({ id }) => id === projectId);
  const origin: readonly Column<Snapshot>[] = [
    {
      label: "Data store",
      cell: (row) => {
        const store = storeOf(row);
        if (store !== undefined) return <Link to={paths.service(store.id)}>{store.name}</Link>;
        return (
          <>
            {row.serviceConfigId} {stores === undefined ? null : <Quiet>deleted</Quiet>}
          </>
        );
      },
      sortBy: ({ serviceConfigId }) => serviceConfigId,
    },
    {
      label: "Of",
      cell: (row) => {
        const project = projectOf(row);
        return (
          <>
            {project === undefined ? (
              <Quiet>{projects === undefined ? "…" : "a deleted project"}</Quiet>
            ) : (
              <Link to={paths.project(project.id)}>{project.name}</Link>
            )}{" "}
            <Quiet>{row.environmentConfigId}</Quiet>
          </>
        );
      },
      sortBy: (row) => projectOf(row)?.name ?? "",
    },
  ];
  const id: Column<Snapshot> = {
    label: "Snapshot",
    cell: ({ id }) => <CopyableId text={id} what="the snapshot's id" />,
  };
  return (
    <Table
      caption="Snapshots, newest first"
      rows={rows}
      keyOf={(row) => row.id}
      more={more}
      filterBy={(row) => `${row.id} ${row.serviceConfigId} ${projectOf(row)?.name ?? ""}`}
      columns={[
        ...(isOfAll ? origin : [id]),
        timeColumn("Taken", "createdAt"),
        {
          label: "Status",
          isShort: true,
          cell: ({ status }) => (
            <Status of={status} words={status === "CREATING" ? "Being taken" : undefined} />
          ),
          sortBy: ({ status }) => status,
        },
        {
          label: "Size",
          isNumber: true,
          cell: ({ sizeBytes }) => (sizeBytes === null ? <Quiet>–</Quiet> : tellBytes(sizeBytes)),
          sortBy: ({ sizeBytes }) => sizeBytes ?? -1,
        },
        {
          label: "Version",
          isShort: true,
          cell: ({ version }) => version ?? <Quiet>–</Quiet>,
        },
        {
          label: "By",
          cell: (row) => (
            <>
              {nameOf(row.requestedBy)} <Quiet>{tellReason(row)}</Quiet>
            </>
          ),
          sortBy: (row) => nameOf(row.requestedBy) ?? tellReason(row),
        },
        {
          label: "",
          cell: (row) => (
            <Actions
              snapshot={row}
              store={storeOf(row) ?? null}
              isStoreKnown={stores !== undefined}
              project={projectOf(row) ?? null}
            />
          ),
        },
      ]}
      note={(row) => {
        const failure = tellFailure(row);
        return failure === null ? null : <p>{failure}</p>;
      }}
    />
  );
}

function Actions({
  snapshot,
  store,
  isStoreKnown,
  project,
}: {
  readonly snapshot: Snapshot;
  readonly store: Service | null;
  readonly isStoreKnown: boolean;
  readonly project: Project | null;
}) {
  const { id, serviceConfigId, createdAt } = snapshot;
  const { reason } = useCan("delete snapshots", {
    projectId: project?.id,
    environmentId: store?.environmentId,
  });
  const storeName = store?.name ?? serviceConfigId;
  const name = `the snapshot of ${storeName} of ${tellInstant(createdAt)}`;
  return (
    <>
      <RestoreButton name={name} snapshot={snapshot} store={store} project={project} />
      <ActionMenu
        of={name}
        actions={[
          copyItem("the id", id, "the snapshot's id"),
          deleteItem(
            {
              work: () => slipway.snapshots.delete(id),
              refreshes: ["snapshots"],
              said: "The snapshot is being deleted.",
              question: {
                title: "Delete this snapshot?",
                consequences: [
                  `The copy of the data of ${storeName} from ${tellInstant(createdAt)} is deleted. This cannot be undone.`,
                  ...(store === null && isStoreKnown
                    ? ["Its data store is deleted. This may be the last copy of the data."]
                    : []),
                ],
                action: "Delete the snapshot",
              },
            },
            reason ?? reasonAgainstDeletion(snapshot),
          ),
        ]}
      />
    </>
  );
}
