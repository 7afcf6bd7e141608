/** Why an invitation was not sent: what it means, and what to do. Pure. */
import { CHANNEL_ERRORS } from "../notifications/channel-error.ts";
import type { InvitationErrorCode } from "./invitation.ts";

const {
  MAIL_UNREACHABLE,
  MAIL_CLOSED,
  MAIL_TLS_FAILED,
  MAIL_UNAUTHORIZED,
  MAIL_REFUSED,
  MAIL_NOT_CONFIGURED,
} = CHANNEL_ERRORS;

export const INVITATION_SEND_ERRORS: Readonly<
  Record<InvitationErrorCode, { readonly message: string; readonly action: string }>
> = {
  MAIL_UNREACHABLE,
  MAIL_CLOSED,
  MAIL_TLS_FAILED,
  MAIL_UNAUTHORIZED,
  MAIL_REFUSED: { ...MAIL_REFUSED, action: "Check the user's address. `answer` has the server's reply." },
  MAIL_NOT_CONFIGURED,
  NO_WAY_TO_SIGN_IN: {
    message: "The user could no longer sign in when the message was to be sent.",
    action: "Create an API key for the user, and invite the user again.",
  },
  ADDRESS_CHANGED: {
    message: "The user's address changed before the message was sent.",
    action: "Invite the user again.",
  },
};

/** Null for a success. */
export function describeInvitationError(code: InvitationErrorCode | null) {
  return code === null ? null : { code, ...INVITATION_SEND_ERRORS[code] };
}
