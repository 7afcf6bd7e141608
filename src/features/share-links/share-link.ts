import type { Domain } from "../custom-domains/custom-domain.ts";

/**
 * A link to a page without sign-in, for the owner of a group's domains. It ends when it expires, when it is revoked,
 * and with its group. Only its address contains its token: Slipway stores the token's hash.
 */
export type ShareLink = {
  readonly organizationId: string;
  readonly id: string;
  readonly groupId: string;
  /** The domains that it shows. Null in links of earlier releases, which show the domains older than the link. */
  readonly domainIds: readonly string[] | null;
  /** Of the user. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was opened for the first time; null before that. */
  readonly openedAt: Date | null;
};

/** For how many days a link works. */
export const DEFAULT_DAYS = 7;
export const MAX_DAYS = 30;

/**
 * Whether a link shows a domain of its group. Domains that the group gets later may be another customer's, so a link
 * shows them only if they are added to it. Pure.
 */
export function shows(
  { domainIds, createdAt }: Pick<ShareLink, "domainIds" | "createdAt">,
  domain: Pick<Domain, "id" | "createdAt">,
): boolean {
  return domainIds === null ? domain.createdAt <= createdAt : domainIds.includes(domain.id);
}
