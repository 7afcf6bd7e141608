import { Type } from "typebox";
import { ROLES } from "../../lib/actor.ts";
import { declareEvents } from "../events/event.ts";

const data = Type.Object({
  name: Type.String({ description: "Display name.", examples: ["Ada Lovelace"] }),
  role: Type.Unsafe<(typeof ROLES)[number]>({
    type: "string",
    enum: ROLES,
    description: "The user's role, which determines what its keys may do.",
    examples: ["developer"],
  }),
});

export const USER_EVENTS = declareEvents({
  "user.created": { subject: "user", description: "A user was created.", data },
  "user.updated": {
    subject: "user",
    description: "A user's name, address, role or git login changed.",
    data,
  },
  "user.deleted": { subject: "user", description: "A user and all its keys were deleted.", data },
});
