import { Type } from "typebox";
import { ROLES } from "../../lib/actor.ts";
import { declareEvents } from "../events/event.ts";

const UserData = Type.Object({
  name: Type.String({ description: "Display name.", examples: ["Ada Lovelace"] }),
  role: Type.Unsafe<(typeof ROLES)[number]>({
    type: "string",
    enum: ROLES,
    description: "What the user's keys may do.",
    examples: ["developer"],
  }),
});

const ApiKeyData = Type.Object({
  name: Type.String({ description: "What the key is for.", examples: ["deploy from CI"] }),
  prefix: Type.String({
    description: "The key's first characters, for recognizing it.",
    examples: ["slw_9fQ2"],
  }),
  userId: Type.String({ description: "The key's user.", examples: ["user_01kahxq2t1e8r4k7c5m9z3g6hs"] }),
});

const SessionData = Type.Object({
  userId: Type.String({ description: "Who signed in.", examples: ["user_01kahxq2t1e8r4k7c5m9z3g6hs"] }),
  provider: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The identity provider; null after an exchange of an API key.",
    examples: ["corp"],
  }),
});

export const ORGANIZATION_EVENTS = declareEvents({
  "organization.updated": {
    subject: "organization",
    description: "The organization's name changed.",
    data: Type.Object({
      name: Type.String({ description: "Its name from now on.", examples: ["Acme"] }),
    }),
  },
  "user.created": { subject: "user", description: "A user was created.", data: UserData },
  "user.updated": {
    subject: "user",
    description: "A user's name, address, role or git login changed.",
    data: UserData,
  },
  "user.deleted": { subject: "user", description: "A user and all its keys were deleted.", data: UserData },
  "session.created": {
    subject: "session",
    description: "A user signed in.",
    data: SessionData,
    role: "admin",
  },
  "session.ended": {
    subject: "session",
    description:
      "A session was signed out or revoked. None is sent when its time is over, or when its user or key is deleted.",
    data: SessionData,
    role: "admin",
  },
  "api_key.created": {
    subject: "api_key",
    description: "An API key was created.",
    data: ApiKeyData,
    role: "admin",
  },
  "api_key.deleted": {
    subject: "api_key",
    description: "An API key was deleted. It works nowhere after five seconds.",
    data: ApiKeyData,
    role: "admin",
  },
});
