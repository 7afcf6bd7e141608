import type { Deployment } from "../../deployments/deployment.ts";
import type { ConfigurationDifferences } from "./decide-differences.ts";

/** A deployment beside an earlier one. */
export type Comparison = {
  readonly deployment: Deployment;
  /** Null if there was no successful one before. */
  readonly comparedWith: Deployment | null;
  /** Null if the configuration of one of them is not known. */
  readonly configuration: ConfigurationDifferences | null;
};
