import type { SmtpError } from "../notifications/mailer.ts";

/**
 * An e-mail that says to a user how to sign in, at an admin's request.
 *
 *   PENDING  a job sends it, and repeats that for about 80 minutes
 *   SENT     the mail server accepted it
 *   FAILED   the mail server refused it, or did not accept it in time; `errorCode` says why
 */
export const INVITATION_STATUSES = ["PENDING", "SENT", "FAILED"] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

export type InvitationErrorCode = SmtpError | "MAIL_NOT_CONFIGURED" | "NO_WAY_TO_SIGN_IN" | "ADDRESS_CHANGED";

export type Invitation = {
  readonly organizationId: string;
  /** Repeated attempts are one message, with this id. */
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  /** The user who asked for it. */
  readonly invitedBy: string;
  readonly status: InvitationStatus;
  readonly attempts: number;
  /** Of the last attempt. */
  readonly errorCode: InvitationErrorCode | null;
  /** The mail server's reply to it. */
  readonly answer: string | null;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
};

/** In 24 hours, so that invitations cannot be used to send unwanted e-mail. */
export const PER_ADDRESS_MAX = 3;
export const PER_ORGANIZATION_MAX = 100;
export const KEPT_DAYS = 30;
