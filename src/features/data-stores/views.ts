import { Type } from "typebox";
import { CreatedAt, EXAMPLE_IDS, Id, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import { SHOWN_SNAPSHOT_STATUSES, type Snapshot, SNAPSHOT_REASONS, SNAPSHOT_TYPES } from "./snapshot.ts";

export const SnapshotSchema = Type.Object(
  {
    id: Id("snap", "The snapshot. A data store with this `snapshot` is created from it."),
    serviceId: Id("svc", "The data store whose data it has; it may be deleted."),
    serviceConfigId: Text("The data store's id in the configuration.", "db"),
    environmentId: Id("env", "The data store's environment; it may be deleted."),
    environmentConfigId: Text("The environment's id in the configuration.", "production"),
    projectId: Id("proj", "The data store's project; it may be deleted."),
    awsAccountId: Id("aws", "The connection to the cloud account that has it."),
    region: Text("The region that has it.", "us-west-2"),
    type: Words(SNAPSHOT_TYPES, {
      title: "SnapshotType",
      description: "The type of the data store, and of each that is created from it.",
      examples: ["postgres"],
    }),
    version: Nullable(Text("The version of the data store; null until it is known.", "17")),
    reason: Words(SNAPSHOT_REASONS, {
      title: "SnapshotReason",
      description: "`manual`: a user asked for it. `final`: it was taken before its data store was deleted.",
      examples: ["manual"],
    }),
    requestedBy: Nullable(
      Text("The user who asked for it; null for a `final` one, and if it is not known.", EXAMPLE_IDS.user),
    ),
    status: Words(SHOWN_SNAPSHOT_STATUSES, {
      title: "SnapshotStatus",
      description:
        "`CREATING`: being taken. `AVAILABLE`: a data store can be created from it. `FAILED`: `failure` says why it has no data. `DELETING`: being deleted; then a read returns 404.",
      examples: ["AVAILABLE"],
    }),
    failure: Nullable(
      Type.Object(
        {
          code: Text("The cause, for programs.", "SNAPSHOT_FAILED"),
          message: Text("The cause, and what to do.", "Its data could not be copied."),
        },
        {
          title: "SnapshotFailure",
          description:
            "With `FAILED`, why it has no data. With `DELETING`, why the cloud refuses to delete it; with `CREATING`, why its removed data store cannot be deleted: Slipway retries both. Otherwise null.",
        },
      ),
    ),
    sizeBytes: Nullable(
      Type.Number({
        description:
          "Its size, if the cloud reports it. On AWS, the storage of the database: a database that is restored from it has at least this storage.",
        examples: [41_943_040],
      }),
    ),
    createdAt: CreatedAt(),
  },
  { title: "Snapshot", description: "A copy of the data of a data store that Slipway created." },
);

export function viewSnapshot(snapshot: Snapshot) {
  return viewAs(SnapshotSchema, snapshot);
}
