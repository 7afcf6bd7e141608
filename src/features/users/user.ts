import type { Role } from "../../lib/actor.ts";

/** A program is a `service`: it does not sign in, and the organization cannot be left to it. */
export const USER_KINDS = ["person", "service"] as const;

export type User = {
  readonly organizationId: string;
  readonly id: string;
  readonly kind: (typeof USER_KINDS)[number];
  /** Null for a program, and for a person whose identity provider gives none. */
  readonly email: string | null;
  readonly name: string;
  readonly role: Role;
  /** The user's login at the git provider; projects need it there (specification, Authentication 3b). */
  readonly gitLogin: string | null;
  /** When one of its keys, sessions or workloads last made a request; written about once a minute. Null: never. */
  readonly lastSeenAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const SIGN_IN_KINDS = ["identity-provider", "api-key", "workload"] as const;

/** A user with what lets it in. */
export type ShownUser = User & {
  /** Identity providers that have signed it in. */
  readonly providerIssuers: readonly string[];
  /** Whether it has an API key that has not expired. */
  readonly hasKey: boolean;
  /** Platforms whose workloads may act as it. */
  readonly workloadIssuers: readonly string[];
};
