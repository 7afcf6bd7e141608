import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

const data = Type.Object({
  userId: Type.String({
    description: "The user who signed in.",
    examples: ["user_01kahxq2t1e8r4k7c5m9z3g6hs"],
  }),
  provider: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The identity provider; null after an exchange of an API key.",
    examples: ["corp"],
  }),
});

export const SESSION_EVENTS = declareEvents({
  "session.created": { subject: "session", description: "A user signed in.", data, role: "admin" },
  "session.ended": {
    subject: "session",
    description:
      "A session was signed out or revoked. No event is sent when the session expires, or when its user or key is deleted.",
    data,
    role: "admin",
  },
});
