/** The number of instances of a service, which clients set between the two limits of its live release. */
import type { ObservedInstances, WorkloadSize } from "../../cloud/platform.ts";

export const SCALING_OPERATIONS = ["set", "add", "remove"] as const;

export type ScalingRequest = {
  readonly operation: (typeof SCALING_OPERATIONS)[number];
  readonly count: number;
};

/** The fields of a size that limit the number of instances. */
export type InstanceLimits = Pick<WorkloadSize, "minInstances" | "maxInstances">;

/** The record of the requests of clients. */
export type Scaling = {
  /** The requested number, until the platform has taken it. */
  readonly count: number | null;
  /** Why the platform did not take the last one. */
  readonly problem: string | null;
  /** The last number that the platform took. */
  readonly taken: number | null;
  /** How many numbers it took so far. */
  readonly takes: number;
};

/** The instances of a service, as the platform says now, with what a client asked for. */
export type ServiceInstances = {
  readonly serviceId: string;
  /** Null if the platform does not say. */
  readonly instances: ObservedInstances | null;
  readonly limits: InstanceLimits | null;
  /** Why the platform does not say, or did not take the last requested number. */
  readonly problem: string | null;
};

/** Whether the platform changes the number itself. Pure. */
export function isAutoscaled({ minInstances, maxInstances }: InstanceLimits): boolean {
  return maxInstances > minInstances;
}
