/** Reads whom a provider has signed in from the claims that it sent. Pure. */
import { toOneLine } from "../lib/shown-text.ts";

/** Whom the provider has signed in: issuer and subject identify a person, the rest is only shown. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** Whether the provider left the groups out because they are too many, as Entra does above 200. */
  readonly isWithoutGroups: boolean;
};

type Claims = Readonly<Record<string, unknown>>;

/**
 * @param claims of the ID token, which win
 * @param more of the userinfo endpoint
 */
export function identityOf(
  claims: Claims & { readonly iss: string; readonly sub: string },
  more: Claims,
  groupsClaim: string,
): Identity {
  // Address and verification belong together, so both are of one source.
  const { email, email_verified: isVerified } = "email" in claims ? claims : more;
  const { name, preferred_username: login } = { ...more, ...claims };
  const groups = findClaim(claims, groupsClaim) ?? findClaim(more, groupsClaim);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof email === "string" && email.length <= 254 ? email : null,
    // Cognito says it as a text.
    isEmailVerified: isVerified === true || isVerified === "true",
    name: [name, login].map(toName).find((one) => one !== null) ?? null,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === "string"),
    isWithoutGroups: groups === undefined && [claims, more].some((one) => isOverage(one, groupsClaim)),
  };
}

/** Whether a claim is there, also an empty one. */
export function hasClaim(claims: Claims, name: string): boolean {
  return findClaim(claims, name) !== undefined;
}

/** By its whole name, which may be a URL with dots, or else by its path: `realm_access.roles`. */
function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

/** A distributed claim (OpenID Connect Core, section 5.6.2), which Entra sends in place of many groups. */
function isOverage({ _claim_names: elsewhere, hasgroups: hasGroups }: Claims, name: string): boolean {
  if (hasGroups === true || hasGroups === "true") return true;
  return typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, name);
}

function toName(given: unknown): string | null {
  const text = typeof given === "string" ? toOneLine(given).trim() : "";
  return text === "" || text.length > 200 ? null : text;
}
