/** Faults that a person or a test asked for. They are kept in memory: a restart heals everything. */
import type { CloudErrorCode } from "../../../src/cloud/cloud.ts";
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

type Fault = {
  readonly operation: Operation | "*";
  readonly kind: FaultKind;
  /** The share of calls that fail, from 0 to 1; 1 by default. */
  readonly rate?: number;
  /** The number of calls that fail before the fault ends; unlimited by default. */
  readonly count?: number;
};

/** A fault belongs to an organization. A fault without one (null) affects every account. */
export type Faults = {
  /** Replaces the present fault of that operation. */
  set(fault: Fault, organizationId?: string | null): void;
  /** Clears an organization's faults; without an organization, all faults. */
  clear(organizationId?: string | null): void;
  /**
   * The fault for this call of an organization's account, or null; counts the call. A fault of the operation
   * takes precedence over a fault of `*`.
   */
  strike(operation: Operation, organizationId?: string | null): FaultKind | null;
};

/** @param random from 0 up to 1, as `Math.random` */
export function createFaults(random: () => number): Faults {
  const active = new Map<string, { fault: Fault; remaining: number }>();
  return {
    set(fault, organizationId = null) {
      active.set(keyOf(fault.operation, organizationId), {
        fault,
        remaining: fault.count ?? Number.POSITIVE_INFINITY,
      });
    },
    clear(organizationId = null) {
      for (const key of active.keys()) {
        if (organizationId === null || key.endsWith(keyOf("", organizationId))) active.delete(key);
      }
    },
    strike(operation, organizationId = null) {
      const owners = organizationId === null ? [null] : [organizationId, null];
      for (const key of owners.flatMap((owner) => [keyOf(operation, owner), keyOf("*", owner)])) {
        const entry = active.get(key);
        if (entry === undefined || entry.remaining <= 0) continue;
        if (entry.fault.rate !== undefined && random() >= entry.fault.rate) continue;
        entry.remaining -= 1;
        if (entry.remaining <= 0) active.delete(key);
        return entry.fault.kind;
      }
      return null;
    },
  };
}

function keyOf(operation: string, organizationId: string | null): string {
  return `${operation} ${organizationId ?? ""}`;
}

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
