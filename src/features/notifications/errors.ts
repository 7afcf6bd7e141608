import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const NOTIFICATION_ERRORS = declareErrors({
  TOO_MANY_NOTIFICATION_CHANNELS: {
    status: 409,
    title: "The organization has 50 notification channels",
    cause: "An organization can have at most 50 notification channels.",
    remedy: "Delete a channel that is no longer needed.",
  },
  EMAIL_NOT_CONFIGURED: {
    status: 422,
    title: "No mail server is configured",
    cause: "E-mail needs the mail server of the installation.",
    remedy:
      "Ask the operator to set SLIPWAY_SMTP_URL and SLIPWAY_SMTP_FROM. Until then, use another kind of channel, and copy the text of invitations.",
  },
  NO_EMAIL_ADDRESS: {
    status: 409,
    title: "The user has no email address",
    cause: "The user is a service account, or its identity provider gives no verified address.",
    remedy: "Ask an admin to set the email address of the user.",
  },
});

export const NOTIFICATION_FAULTS = declareFaults({
  NOT_OF_KIND:
    "The field does not belong to channels of this kind: e-mail has `recipients`, all others have `url`.",
});
