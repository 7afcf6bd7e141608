/**
 * A copy of the data of a data store that Slipway created. It stays when the store is deleted, and its environment and
 * project.
 *
 *   CREATING   the cloud takes it; the last one of a data store, while the store is deleted
 *   AVAILABLE  a new data store can be created from it
 *   FAILED     it could not be taken, and has no data
 *   DELETING   the cloud deletes it; then its row is deleted
 */
import type { StoreType } from "../../cloud/data-stores.ts";
import { type ObservedSnapshot, SNAPSHOT_STATUSES } from "../../cloud/platform.ts";

export const SHOWN_SNAPSHOT_STATUSES = [...SNAPSHOT_STATUSES, "DELETING"] as const;

/** `final`: taken before its data store was deleted. */
export const SNAPSHOT_REASONS = ["manual", "final"] as const;

/**
 * Of one data store, without its last one. RDS takes as many in a region by default:
 * https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html
 */
export const SNAPSHOTS_MAX = 100;

export type Snapshot = Pick<ObservedSnapshot, "failure" | "sizeBytes"> & {
  readonly organizationId: string;
  /** Also the provider's token. */
  readonly id: string;
  readonly awsAccountId: string;
  readonly region: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentConfigId: string;
  readonly serviceId: string;
  readonly serviceConfigId: string;
  readonly type: SnapshotType;
  readonly version: string | null;
  readonly reason: (typeof SNAPSHOT_REASONS)[number];
  /** The user who asked for it; null for a `final` one. */
  readonly requestedBy: string | null;
  readonly status: (typeof SHOWN_SNAPSHOT_STATUSES)[number];
  readonly createdAt: Date;
};

/** A bucket has none. */
export const SNAPSHOT_TYPES = ["postgres", "mysql", "redis"] as const satisfies readonly StoreType[];
export type SnapshotType = (typeof SNAPSHOT_TYPES)[number];

export function hasSnapshots(type: StoreType): type is SnapshotType {
  return type !== "bucket";
}
