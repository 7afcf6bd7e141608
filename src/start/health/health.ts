/** The checks, in the order in which they are shown. The codes are stable; programs may decide on them. */
export const CHECK_CODES = [
  "VERSIONS",
  "DATABASE",
  "SCHEMA",
  "CLOCK",
  "WRITABLE",
  "COORDINATOR",
  "SEALING_KEYS",
  "CLOUD_ACCOUNTS",
  "DNS",
  "WORK",
  "WORKERS",
  "EVENTS",
  "WEBHOOKS",
  "CERTIFICATES",
  "DISK",
  "BACKUP",
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** `skipped`: it could not be looked at from here, or there is nothing to look at. */
export const CHECK_STATUSES = ["ok", "warning", "failed", "skipped"] as const;

export type Outcome = {
  readonly status: (typeof CHECK_STATUSES)[number];
  /** The finding, for the operator. */
  readonly says: string;
  /** What the operator can do; null if nothing has to be done. */
  readonly fix: string | null;
};

export type Check = Outcome & { readonly code: CheckCode };

export type Health = {
  /** The worst of all checks. */
  readonly status: "ok" | "warning" | "failed";
  readonly checkedAt: Date;
  readonly release: string;
  readonly checks: readonly Check[];
};
