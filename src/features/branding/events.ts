import { Type } from "typebox";
import { Nullable } from "../../http/schemas.ts";
import { declareEvents } from "../events/event.ts";

export const BRANDING_EVENTS = declareEvents({
  "organization.branding_updated": {
    subject: "organization",
    description: "The name, colour or logo of the organization's share links changed.",
    data: Type.Object({
      name: Nullable(
        Type.String({ description: "The name; null: the installation's.", examples: ["Acme Sites"] }),
      ),
      accentColor: Nullable(
        Type.String({ description: "The colour; null: the installation's.", examples: ["#0a5c36"] }),
      ),
      hasLogo: Type.Boolean({ description: "Whether it has a logo of its own.", examples: [true] }),
    }),
  },
});
