import type { Scope } from "../../lib/actor.ts";

export type ApiKey = {
  readonly organizationId: string;
  readonly id: string;
  readonly userId: string;
  /** The user who created it; null if the operator or an earlier release did. */
  readonly createdBy: string | null;
  readonly name: string;
  /** The key's first characters, for recognizing it. */
  readonly prefix: string;
  /** Its scopes; null for everything that its user may do. */
  readonly scopes: readonly Scope[] | null;
  /** The projects that it is limited to; null for all. */
  readonly projectIds: readonly string[] | null;
  /** When it expires; null for never. */
  readonly expiresAt: Date | null;
  /** Written about once a minute; null if it was not used yet. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
};
