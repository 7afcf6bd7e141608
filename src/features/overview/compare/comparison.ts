import type { Deployment } from "../../deployments/deployment.ts";
import type { ConfigurationDifferences } from "./decide-differences.ts";

/** What a rollback changes in one environment. */
export type RollbackPlan = {
  readonly id: string;
  readonly name: string;
  /** Whether the deployment is what runs there now. */
  readonly isLive: boolean;
  /** From the configuration that the environment has now; null if that is not known. */
  readonly changes: ConfigurationDifferences | null;
};

/** A deployment beside an earlier one. */
export type Comparison = {
  readonly deployment: Deployment;
  /** Null if there was no successful one before. */
  readonly comparedWith: Deployment | null;
  /** Null if the configuration of one of them is not known. */
  readonly configuration: ConfigurationDifferences | null;
};
