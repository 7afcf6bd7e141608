import { type Role, ROLES } from "../../lib/actor.ts";
import type { GroupRule } from "../../oidc/provider.ts";

/** The organization that a user signs in to, and the role there. */
export type SignInRole = { readonly organizationId: string | null; readonly role: Role };

/**
 * The first rule that matches a group decides the organization; there, the highest role of all that match. Null if no
 * rule matches. An organization of null is the provider's.
 */
export function decideRole(rules: readonly GroupRule[], groups: readonly string[]): SignInRole | null {
  const matching = rules.filter(({ group }) => group === "*" || groups.includes(group));
  const [first] = matching;
  if (first === undefined) return null;
  const { organizationId } = first;
  const roles = matching.filter((rule) => rule.organizationId === organizationId).map(({ role }) => role);
  return { organizationId, role: ROLES.findLast((role) => roles.includes(role)) ?? first.role };
}
