import type { DeployedService, Deployment } from "../deployments/deployment.ts";

/**
 *   RUNNING       the platform says that the live release runs and passes its health check
 *   FAILING       it says that it does not
 *   SLEEPING      its preview sleeps: the next request starts it
 *   NOT_DEPLOYED  nothing was released yet
 *   UNKNOWN       the platform does not say, or could not be asked
 */
export const HEALTHS = ["RUNNING", "FAILING", "SLEEPING", "NOT_DEPLOYED", "UNKNOWN"] as const;

/** The present health of a service. */
export type ServiceHealth = {
  readonly serviceId: string;
  readonly health: (typeof HEALTHS)[number];
  /** Why it fails, or why its health is not known: a sentence. */
  readonly problem: string | null;
  readonly urls: readonly string[];
  readonly live: { readonly release: DeployedService; readonly deployment: Deployment } | null;
};
