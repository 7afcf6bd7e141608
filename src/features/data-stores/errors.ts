import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const DATA_STORE_ERRORS = declareErrors({
  SERVICE_HAS_NO_SNAPSHOTS: {
    status: 409,
    title: "The service has no snapshots",
    cause:
      "Slipway takes snapshots only of databases and caches that it created. This service is a bucket, belongs to a preview, is not a data store, or was not created by Slipway.",
    remedy: "Use the id of a database or a cache that Slipway created.",
  },
  TOO_MANY_SNAPSHOTS: {
    status: 409,
    title: "The data store has too many snapshots",
    cause: "A data store has at most 100 snapshots that users asked for. Each costs its storage.",
    remedy:
      "Delete a snapshot of the data store that you do not need, such as the oldest, and repeat the request.",
  },
  SNAPSHOT_UNDER_WAY: {
    status: 409,
    title: "The snapshot is being taken",
    cause: "A snapshot can be deleted when it is complete or has failed.",
    remedy: "Read the snapshot with `Prefer: wait` until it is AVAILABLE or FAILED, and delete it then.",
  },
  SNAPSHOT_IN_USE: {
    status: 409,
    title: "A data store is created from the snapshot",
    cause: "A data store gets its data from the snapshot, and is not available yet.",
    remedy: "Delete the snapshot when the data store is AVAILABLE, or after you have removed it.",
  },
  SNAPSHOT_NOT_AVAILABLE: {
    status: 409,
    title: "The snapshot is not available",
    cause: "Another request deleted the snapshot that a data store was to be created from.",
    remedy: "Name another snapshot in `snapshot`, or remove that field.",
  },
});

export const DATA_STORE_FAULTS = declareFaults({
  SNAPSHOT_NOT_USABLE:
    "The data store cannot be created from this snapshot. Name another one in `snapshot`, or remove that field.",
});

/** Of a last snapshot whose data store is forgotten, because its cloud account is lost. */
export const ABANDONED = {
  code: "ABANDONED",
  message: "Its project was abandoned before the snapshot was complete. Look for it in the cloud account.",
} as const;

/** Of a last snapshot that the cloud does not have after the deletion of its data store. */
export const NOT_TAKEN = {
  code: "SNAPSHOT_MISSING",
  message: "The data store was deleted, and the cloud has no last snapshot of it.",
} as const;
