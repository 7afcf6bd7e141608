import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

const data = Type.Object({
  name: Type.String({ description: "The purpose of the key.", examples: ["deploy from CI"] }),
  prefix: Type.String({
    description: "The key's first characters, for recognizing it.",
    examples: ["slw_9fQ2"],
  }),
  userId: Type.String({ description: "The key's user.", examples: ["user_01kahxq2t1e8r4k7c5m9z3g6hs"] }),
});

export const API_KEY_EVENTS = declareEvents({
  "api_key.created": {
    subject: "api_key",
    description: "An API key was created.",
    data,
    role: "admin",
  },
  "api_key.deleted": {
    subject: "api_key",
    description: "An API key was deleted. It stops working everywhere within 5 s.",
    data,
    role: "admin",
  },
});
