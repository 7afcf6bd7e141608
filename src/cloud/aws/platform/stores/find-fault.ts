/** Whether a database or a cache works, by AWS's status. Pure. */
import type { StoreFailure } from "../../../platform.ts";

/**
 * https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html (statuses of instances). Others, such as
 * `modifying` or `backing-up`, pass without help.
 */
const STOPPED = ["stopped", "stopping", "starting"];
const BROKEN = [
  "failed",
  "create-failed",
  "restore-error",
  "insufficient-capacity",
  "inaccessible-encryption-credentials",
  "inaccessible-encryption-credentials-recoverable",
];

/**
 * Why a store does not work; null if it does.
 * @param service RDS or ElastiCache
 * @param status null if AWS does not have it
 */
export function findFault(service: string, status: string | null): StoreFailure | null {
  if (status === null || status === "deleting")
    return {
      code: "STORE_DELETED",
      message: `${service} does not have it any longer: it was deleted outside Slipway, which creates no empty one in its place. Remove the data store; if there is a snapshot of it, add another data store from that.`,
    };
  if (STOPPED.includes(status))
    return {
      code: "STORE_STOPPED",
      message: `${service} says that it is ${status}. If it is stopped, start it in AWS's console; AWS does that after seven days.`,
    };
  if (status === "storage-full")
    return {
      code: "STORAGE_FULL",
      message: "Its storage is full. Give it more with `storageGb`, and deploy.",
    };
  if (BROKEN.includes(status) || status.startsWith("incompatible-"))
    return {
      code: "STORE_FAILED",
      message: `${service} says that it is ${status}. Its page in AWS's console says why, and how to repair it.`,
    };
  return null;
}
