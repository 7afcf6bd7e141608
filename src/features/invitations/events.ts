import { Type } from "typebox";
import { Id, Text } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";

const INVITATION = {
  invitationId: Id("invite", "The invitation."),
  name: Text("The user's display name.", "Ada Lovelace"),
};

export const INVITATION_EVENTS = declareEvents({
  "user.invited": {
    subject: "user",
    role: "admin",
    description: "The mail server accepted the invitation of a user.",
    data: Type.Object(INVITATION),
  },
  "user.invitation_failed": {
    subject: "user",
    role: "admin",
    description:
      "The mail server refused the invitation of a user, or did not accept it within about 80 minutes.",
    data: Type.Object({ ...INVITATION, error: CodedErrorSchema }),
  },
});
