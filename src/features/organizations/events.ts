import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

export const ORGANIZATION_EVENTS = declareEvents({
  "organization.updated": {
    subject: "organization",
    description: "The organization's name changed.",
    data: Type.Object({
      name: Type.String({ description: "The new name.", examples: ["Acme"] }),
    }),
  },
});
