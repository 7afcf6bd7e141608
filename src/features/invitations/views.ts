import { Type } from "typebox";
import { Count, Id, Instant, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { describeInvitationError, INVITATION_SEND_ERRORS } from "./invitation-error.ts";
import { INVITATION_STATUSES, type Invitation } from "./invitation.ts";
import { type InvitationState, REFUSALS } from "./invitation-state.ts";

const InvitationSchema = Type.Object(
  {
    id: Id("invite", "Id of the invitation. The `Message-ID` of the e-mail begins with it."),
    status: Words(INVITATION_STATUSES, {
      title: "InvitationStatus",
      description:
        "`PENDING`: Slipway sends it, and retries for about 80 minutes. `SENT`: the mail server accepted it. `FAILED`: `error` says why.",
      examples: ["SENT"],
    }),
    email: Text("The address that it was sent to.", "ada@acme.example"),
    invitedBy: Id("user", "The user who requested it."),
    attempts: Count("How often Slipway tried to send it.", 1),
    error: Nullable(
      Type.Object(
        {
          code: Words(Object.keys(INVITATION_SEND_ERRORS), {
            title: "InvitationErrorCode",
            description: "The error code, for programs.",
            examples: ["MAIL_REFUSED"],
          }),
          message: Text("The error.", "The mail server refuses the message."),
          action: Text("What to do.", "Check the user's address. `answer` has the server's reply."),
        },
        { title: "InvitationError", description: "Why the last attempt failed; null after a success." },
      ),
    ),
    answer: Nullable(Text("The mail server's reply to the last attempt.", "250 2.0.0 Queued")),
    requestedAt: Instant("When it was requested."),
    endedAt: NullableInstant("When it was sent or failed; null before."),
  },
  { title: "Invitation", description: "An e-mail that says to a user how to sign in." },
);

export const UserInvitationSchema = Type.Object(
  {
    signInUrl: Text("The address of the page to sign in.", "https://slipway.example/sign-in"),
    message: Nullable(
      Type.Object(
        {
          subject: Text("The subject.", "[Slipway] Grace Hopper invites you to Acme"),
          text: Text(
            "The text. It has no secret.",
            "Hello Ada Lovelace,\n\nGrace Hopper invites you to Acme in Slipway…",
          ),
        },
        {
          title: "InvitationMessage",
          description: "What the user would be sent now, to copy; null if the user could not sign in.",
        },
      ),
    ),
    refusal: Nullable(
      Type.Object(
        {
          code: Words(Object.keys(REFUSALS), {
            title: "InvitationRefusalCode",
            description: "The error code of a request for an invitation.",
            examples: ["EMAIL_NOT_CONFIGURED"],
          }),
          message: Text(
            "The reason, and what to do.",
            "This installation has no mail server. Copy the text of the invitation and send it yourself, or ask the operator to set SLIPWAY_SMTP_URL.",
          ),
        },
        {
          title: "InvitationRefusal",
          description: "Why the user cannot be invited by e-mail now; null if that is possible.",
        },
      ),
    ),
    last: Nullable(InvitationSchema),
  },
  {
    title: "UserInvitation",
    description:
      "How a user is invited, and the last invitation; null if there was none in the last 30 days.",
  },
);

export function viewUserInvitation({ mail, refusal, last }: InvitationState, signInUrl: string) {
  return {
    signInUrl,
    message: mail === null ? null : { subject: mail.subject, text: mail.text },
    refusal: refusal === null ? null : { code: refusal, message: REFUSALS[refusal].message },
    last: last === null ? null : viewInvitation(last),
  };
}

function viewInvitation({ errorCode, ...invitation }: Invitation) {
  return {
    ...invitation,
    error: describeInvitationError(errorCode),
    requestedAt: invitation.requestedAt.toISOString(),
    endedAt: invitation.endedAt?.toISOString() ?? null,
  };
}
