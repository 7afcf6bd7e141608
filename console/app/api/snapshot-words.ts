/** Snapshots of data stores: words, what their state permits, and how one is restored. Pure. */
import type { Service, Snapshot } from "../../../sdk/src/generated/types.ts";

/** Why it was taken. */
export function tellReason({ reason }: Pick<Snapshot, "reason">): string {
  return reason === "final" ? "before the deletion" : "on request";
}

const UNITS = ["kB", "MB", "GB", "TB"];

/** A size in steps of 1,000, such as `41.9 MB`. */
export function tellBytes(bytes: number): string {
  let [value, unit] = [bytes, "B"];
  for (const next of UNITS) {
    if (value < 999.5) break;
    [value, unit] = [value / 1_000, next];
  }
  return `${value < 99.95 && unit !== "B" ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Whether it soon has another status. */
export function isChanging({ status }: Pick<Snapshot, "status">): boolean {
  return status === "CREATING" || status === "DELETING";
}

/** What went wrong, and what to do; null: nothing. */
export function tellFailure({ status, failure }: Pick<Snapshot, "status" | "failure">): string | null {
  if (failure === null) return null;
  const { message } = failure;
  if (status === "CREATING") return `Its data store cannot be deleted. Slipway tries again. ${message}`;
  return status === "DELETING" ? `It cannot be deleted. Slipway tries again. ${message}` : message;
}

/**
 * Whether Slipway takes snapshots of a data store (the server's `SERVICE_HAS_NO_SNAPSHOTS`): not of buckets, nor of what
 * it did not create.
 */
export function hasSnapshots({ type, dataStore }: Pick<Service, "type" | "dataStore">): boolean {
  return dataStore !== null && type !== "bucket";
}

/** Why no snapshot is taken of a data store now; null: it is. */
export function reasonAgainstSnapshot(
  { status }: NonNullable<Service["dataStore"]>,
  snapshots: readonly Pick<Snapshot, "status">[],
): string | null {
  if (status === "FAILED") return "It could not be created, so it has no data.";
  return snapshots.some((one) => one.status === "CREATING") ? "A snapshot is being taken." : null;
}

/** Why it is not deleted now (the server's `SNAPSHOT_UNDER_WAY`); null: it is. */
export function reasonAgainstDeletion({ status }: Pick<Snapshot, "status">): string | null {
  if (status === "CREATING") return "It is being taken. Delete it when it is complete or has failed.";
  return status === "DELETING" ? "It is being deleted already." : null;
}

/** Why no data store is created from it (the server's `SNAPSHOT_NOT_USABLE`); null: it may be. */
export function reasonAgainstRestore({ status }: Pick<Snapshot, "status">): string | null {
  if (status === "AVAILABLE") return null;
  if (status === "CREATING") return "It is being taken. Restore it when it is available.";
  return status === "FAILED" ? "It has no data, because it could not be taken." : "It is being deleted.";
}

const ID_MAX = 60;
const SUFFIX = "-restored";
/** Settings that the new data store shares with the data store that its data is of. */
const KEPT = ["version", "size", "storageGb", "backupRetentionDays"];

/** The id of the data store that a snapshot is restored into, in the configuration. */
export function restoredIdOf({ serviceConfigId }: Pick<Snapshot, "serviceConfigId">): string {
  return `${serviceConfigId.slice(0, ID_MAX - SUFFIX.length)}${SUFFIX}`;
}

/**
 * The lines that create a data store from a snapshot, for the services of an environment in `slipway.json`.
 * @param settings of the data store that its data is of; null if it was deleted
 */
export function restoreLines(
  snapshot: Pick<Snapshot, "id" | "type" | "serviceConfigId">,
  settings: Service["settings"] | null,
): string {
  const kept = KEPT.flatMap((field) => {
    const value = settings?.[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const { id, type } = snapshot;
  return JSON.stringify(
    { id: restoredIdOf(snapshot), type, ...Object.fromEntries(kept), snapshot: id },
    null,
    2,
  );
}
