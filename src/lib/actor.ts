import { AppError, COMMON_ERRORS } from "./errors.ts";

export const ROLES = ["viewer", "developer", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** What identifies requests; `none` for work without one, and for pushes, which their signature identifies. */
export type CredentialKind = "api-key" | "session" | "workload-token" | "none";

/**
 * What a request was authenticated by. Limits count by its id, and audit entries show it. Work without a credential has
 * the id of who does it.
 */
export type Credential = { readonly kind: CredentialKind; readonly id: string };

/** Who makes a request. Every command takes an actor, and touches only its organization. */
export type Actor = {
  readonly organizationId: string;
  readonly userId: string;
  readonly credential: Credential;
  readonly role: Role;
  readonly requestId: string;
  /** Where the request came from; missing for work without a request. */
  readonly sourceAddress?: string;
};

/** @throws AppError `ROLE_TOO_LOW` */
export function requireRole(actor: Actor, needed: Role): void {
  if (ROLES.indexOf(actor.role) >= ROLES.indexOf(needed)) return;
  throw new AppError(
    COMMON_ERRORS.ROLE_TOO_LOW,
    `This requires the role ${needed}; the user of this API key is a ${actor.role}.`,
  );
}
