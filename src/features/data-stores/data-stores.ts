import type { ObservedStore } from "../../cloud/platform.ts";

/** What the platform last said of a data store that Slipway creates. Its settings are those of its service. */
export type CreatedStore = ObservedStore & {
  readonly organizationId: string;
  readonly serviceId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly awsAccountId: string;
  readonly region: string;
  /** Whether the platform was asked since the last request. Until then, what it says is of an earlier try. */
  readonly isAsked: boolean;
  /** Where its data comes from; null if it was created empty. */
  readonly snapshotId: string | null;
  readonly createdAt: Date;
};

/** By service. After a failed creation, there is no data; after a failed change, the data store is as it was. */
export type FailedStores = ReadonlyMap<string, "creation" | "change">;

/** Whether it was available, and does not run now. Pure. */
export function isDown({ status, failure }: Pick<CreatedStore, "status" | "failure">): boolean {
  return status === "CHANGING" && failure !== null;
}

/** Whether services can use it. Pure. */
export function isUsable({ status }: Pick<CreatedStore, "status">): boolean {
  return status === "AVAILABLE" || status === "CHANGING";
}
