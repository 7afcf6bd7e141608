import { declareErrors } from "../../lib/errors.ts";

export const INVITATION_ERRORS = declareErrors({
  NO_WAY_TO_SIGN_IN: {
    status: 409,
    title: "The user cannot sign in",
    cause:
      "The user has no API key, has not signed in at an identity provider, and no provider of the organization links people to users by their address.",
    remedy:
      "Create an API key for the user and hand it over, or ask the operator to set `SLIPWAY_OIDC_<NAME>_LINK_BY_EMAIL=on`.",
  },
  TOO_MANY_INVITATIONS: {
    status: 429,
    title: "Too many invitations",
    cause: "In 24 hours, one address gets at most 3 invitations, and an organization sends at most 100.",
    remedy: "Try again after `Retry-After`, or copy the text of the invitation and send it yourself.",
  },
});
