import { CloudError } from "./cloud.ts";

/** Whether a failed call means that the cloud or the account is unreachable for now. Says nothing about the request. */
export function isAbsence(error: unknown): boolean {
  return error instanceof CloudError && (error.code === "UNAVAILABLE" || error.code === "TIMEOUT");
}
