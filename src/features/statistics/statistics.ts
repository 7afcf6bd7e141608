/** How many domains there were, by what they waited for. */
export type DomainCounts = {
  readonly attached: number;
  readonly inError: number;
  readonly awaitingRecords: number;
  readonly inProgress: number;
};

/** Of a day in UTC, `2026-11-20`: as it was counted last. */
export type DomainDay = DomainCounts & { readonly day: string };

/** How many certificates expire in the week that begins with this Monday, in UTC. */
export type ExpiryWeek = { readonly week: string; readonly count: number };

/** Deployments that were accepted on a day in UTC. */
export type DeploymentDay = {
  readonly day: string;
  readonly succeeded: number;
  readonly failed: number;
  /** Cancelled, or superseded by a newer one. */
  readonly stopped: number;
  /** Waiting or running. */
  readonly unended: number;
  /** Of the deployments that succeeded, from their start to their end; null if none did. */
  readonly medianSeconds: number | null;
  readonly maxSeconds: number | null;
};

export type Statistics = {
  readonly domains: DomainCounts;
  readonly domainDays: readonly DomainDay[];
  readonly certificateExpiry: readonly ExpiryWeek[];
  readonly deploymentDays: readonly DeploymentDay[];
};
