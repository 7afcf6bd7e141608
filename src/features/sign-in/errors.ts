import { declareErrors } from "../../lib/errors.ts";

export const SIGN_IN_ERRORS = declareErrors({
  SIGN_IN_UNAVAILABLE: {
    status: 503,
    title: "The identity provider does not answer",
    cause:
      "The identity provider cannot be reached at the moment, or its answer is not an OpenID Connect answer.",
    remedy: "Try again later, or sign in with an API key. An admin sees the reason in the settings.",
  },
  SIGN_IN_EXPIRED: {
    status: 400,
    title: "The sign-in took too long, or began elsewhere",
    cause:
      "The browser came back from the identity provider without the cookie of this attempt: more than ten minutes passed, a sign-in began in another tab, or the address was opened again.",
    remedy: "Sign in again.",
  },
  SIGN_IN_REFUSED: {
    status: 403,
    title: "The identity provider refused the sign-in",
    cause: "The identity provider refused, or the person cancelled there.",
    remedy: "Sign in again. If this continues, ask the administrator of the identity provider.",
  },
  SIGN_IN_INVALID: {
    status: 401,
    title: "The identity provider's answer is not valid",
    cause:
      "A check of the answer or of its token failed: signature, issuer, audience, time, nonce, or a code that was used before.",
    remedy: "Sign in again. If this continues, ask the operator: the log names the failed check.",
  },
  SIGN_IN_GROUPS_MISSING: {
    status: 403,
    title: "The identity provider left out your groups",
    cause:
      "You are in more groups than the provider puts into its token, so it sent none (Entra above 200 groups). Your role depends on them.",
    remedy:
      "The operator can configure the provider to send only the groups that are assigned to Slipway, or app roles with `SLIPWAY_OIDC_<NAME>_GROUPS_CLAIM=roles`.",
  },
  SIGN_IN_WITHOUT_ROLE: {
    status: 403,
    title: "None of your groups has a role",
    cause:
      "The identity provider signed you in, but Slipway's configuration gives none of your groups a role.",
    remedy:
      "Ask an admin of Slipway which group you need, and the administrator of the identity provider to add you to it.",
  },
});
