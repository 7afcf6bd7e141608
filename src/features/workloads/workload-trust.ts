import type { Scope } from "../../lib/actor.ts";

/**
 * Lets programs act as a service account without a key: those for which `issuer` signs a token for `audience` whose
 * claims are as `conditions` say.
 */
export type WorkloadTrust = {
  readonly organizationId: string;
  readonly id: string;
  /** The service account. */
  readonly userId: string;
  readonly name: string;
  /** As the claim `iss` has it. */
  readonly issuer: string;
  readonly audience: string;
  /** What claims must be; a `*` at the end stands for any ending. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly scopes: readonly Scope[];
  /** The projects that it is limited to; null for all. */
  readonly projectIds: readonly string[] | null;
  readonly createdAt: Date;
  /** When a token was last exchanged under it; null if none was yet. */
  readonly lastUsedAt: Date | null;
};

/** What a platform signed. */
export type Claims = Readonly<Record<string, unknown>>;
