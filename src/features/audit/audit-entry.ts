import type { Workload } from "../../lib/actor.ts";

/** What an entry says in addition to who did what. It may hold no secret. */
export type AuditDetails = {
  /** The names of what was set, such as variables. */
  readonly names?: readonly string[];
  /** The changed fields, with their values. */
  readonly before?: Readonly<Record<string, string | null>>;
  readonly after?: Readonly<Record<string, string | null>>;
  /** What made the request, if it was a workload. */
  readonly workload?: Workload;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: Date;
  readonly userId: string;
  readonly apiKeyId: string;
  /** Noun and verb, such as `domain.deleted`. */
  readonly action: string;
  readonly resourceId: string;
  readonly requestId: string;
  /** Null for changes without a request, and for entries of earlier releases. */
  readonly sourceAddress: string | null;
  readonly details: AuditDetails | null;
};
