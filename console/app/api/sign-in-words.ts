/** Why a sign-in at an identity provider did not work, for the person who tried it. Pure. */

type Words = { readonly title: string; readonly next: string };

const AGAIN = "Sign in again. If this continues, send your administrator the request below.";
const WORDS: Readonly<Record<string, Words>> = {
  SIGN_IN_UNAVAILABLE: {
    title: "The identity provider does not answer",
    next: "Try again later, or sign in with an API key.",
  },
  SIGN_IN_EXPIRED: {
    title: "The sign-in took too long, or began elsewhere",
    next: "Sign in again.",
  },
  SIGN_IN_REFUSED: {
    title: "The identity provider refused the sign-in",
    next: "Sign in again. If this continues, ask the administrator of the identity provider.",
  },
  SIGN_IN_INVALID: { title: "The identity provider's answer is not valid", next: AGAIN },
  SIGN_IN_GROUPS_MISSING: {
    title: "The identity provider left out your groups",
    next: "You are in too many groups. Ask the operator to configure the provider to send only the groups that are assigned to Slipway.",
  },
  SIGN_IN_WITHOUT_ROLE: {
    title: "None of your groups has a role here",
    next: "Ask an admin of Slipway which group you need.",
  },
};

/** @param code what the sign-in ended with; of a later release too */
export function describeSignInError(code: string): Words {
  return WORDS[code] ?? { title: "Signing in at the identity provider did not work", next: AGAIN };
}
