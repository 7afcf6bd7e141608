import { CloudError } from "./cloud.ts";

/** Whether a failed call says that the cloud or the account is away for now, and nothing of what was asked. */
export function isAbsence(error: unknown): boolean {
  return error instanceof CloudError && (error.code === "UNAVAILABLE" || error.code === "TIMEOUT");
}
