/**
 * Decides about an address that a provider verified for a person while another user has it. Pure.
 *
 * | the other user                                      | then                                                      |
 * |-----------------------------------------------------|-----------------------------------------------------------|
 * | never signed in at a provider                       | `link`, if that is configured; else `refuse`              |
 * | did, and none verified the address for that user    | `take`: an unverified address must not block its owner    |
 * | this provider verified it earlier for that user     | `take`: the provider gave the address to another person   |
 * | another provider verified it for that user          | `link`, if that is configured; else `refuse`              |
 */
export type AddressDecision = "link" | "take" | "refuse";

/** Who a user is at a provider, and the address that the provider verified at the last sign-in. */
export type LinkedIdentity = { readonly issuer: string; readonly verifiedEmail: string | null };

/** @param of the identities of the user that has the address */
export function decideAddress(
  of: readonly LinkedIdentity[],
  { email, issuer, linksByEmail }: { email: string; issuer: string; linksByEmail: boolean },
): AddressDecision {
  const verifying = of.filter(({ verifiedEmail }) => verifiedEmail === email);
  if (of.length > 0 && verifying.length === 0) return "take";
  if (verifying.some((one) => one.issuer === issuer)) return "take";
  // A user is one person at a provider.
  return linksByEmail && of.every((one) => one.issuer !== issuer) ? "link" : "refuse";
}
