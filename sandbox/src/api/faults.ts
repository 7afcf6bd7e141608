/** The faults of calls to the cloud. */
import type { CloudErrorCode } from "../../../src/cloud/cloud.ts";
import type { Faults } from "../faults.ts";
import type { Operation } from "../protocol.ts";
import { Refusal } from "../refusal.ts";

export const FAULT_KINDS = [
  "throttled",
  "denied",
  "server-error",
  "timeout",
  "lost-response",
  "quota",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault belongs to an organization. A fault without one affects every account. */
export type CallFaults = Faults<Operation, FaultKind>;

const QUOTA_CODES: Partial<Record<Operation, CloudErrorCode>> = {
  "certificates.request": "CERTIFICATE_REQUEST_QUOTA",
  "distributions.create": "TOO_MANY_DISTRIBUTIONS",
  "distributions.update": "TOO_MANY_ALIASES",
  "parameters.put": "TOO_MANY_PARAMETERS",
};

/** The refusal of a fault; null for kinds that break the connection instead. */
export function refusalOf(kind: FaultKind, operation: Operation): Refusal | null {
  switch (kind) {
    case "throttled":
      return new Refusal("retryable", "THROTTLED", "Rate exceeded.");
    case "denied":
      return new Refusal("denied", "ACCESS_DENIED", "The role is not allowed to do this.");
    case "quota":
      return new Refusal("limit", QUOTA_CODES[operation] ?? "UNKNOWN", "A quota of the account is used up.");
    case "server-error":
    case "timeout":
    case "lost-response":
      return null;
  }
}
