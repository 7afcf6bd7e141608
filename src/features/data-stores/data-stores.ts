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

/** Whether services can use it. Pure. */
export function isUsable({ status }: Pick<CreatedStore, "status">): boolean {
  return status === "AVAILABLE" || status === "CHANGING";
}
