/** Whether a user can be invited, and why not. Pure. */
import { NOTIFICATION_ERRORS } from "../notifications/errors.ts";
import type { Mail } from "../notifications/payloads.ts";
import { INVITATION_ERRORS } from "./errors.ts";
import type { Invitation } from "./invitation.ts";

/** Why a user cannot be invited. */
export type Refusal = "NO_EMAIL_ADDRESS" | "NO_WAY_TO_SIGN_IN" | "EMAIL_NOT_CONFIGURED";

export const REFUSALS = {
  NO_EMAIL_ADDRESS: {
    error: NOTIFICATION_ERRORS.NO_EMAIL_ADDRESS,
    message: "The user has no email address. Set one first.",
  },
  NO_WAY_TO_SIGN_IN: {
    error: INVITATION_ERRORS.NO_WAY_TO_SIGN_IN,
    message:
      "The user has no API key, and no identity provider lets the user in. Create an API key for the user, or ask the operator to set SLIPWAY_OIDC_<NAME>_LINK_BY_EMAIL=on.",
  },
  EMAIL_NOT_CONFIGURED: {
    error: NOTIFICATION_ERRORS.EMAIL_NOT_CONFIGURED,
    message:
      "This installation has no mail server. Copy the text of the invitation and send it yourself, or ask the operator to set SLIPWAY_SMTP_URL.",
  },
} as const;

/** A user's invitations: what could be sent now, and the last that was requested. */
export type InvitationState = {
  readonly refusal: Refusal | null;
  readonly mail: Mail | null;
  /** Null if there was none in the last 30 days. */
  readonly last: Invitation | null;
};
