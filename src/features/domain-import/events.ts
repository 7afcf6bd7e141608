import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

export const DOMAIN_IMPORT_EVENTS = declareEvents({
  "service.domains_imported": {
    subject: "service",
    description:
      "Domains were imported into a service. Each has a `domain.created` event, and later events say what becomes of it.",
    data: Type.Object({
      accepted: Type.Integer({ description: "Lines with a new domain.", examples: [1] }),
      duplicate: Type.Integer({ description: "Lines with a name that was there already.", examples: [0] }),
      invalid: Type.Integer({ description: "Lines without a name.", examples: [0] }),
      taken: Type.Integer({ description: "Lines with a name that is elsewhere.", examples: [0] }),
      quota: Type.Integer({ description: "Lines without room.", examples: [0] }),
      createdGroups: Type.Integer({ description: "How many groups were made.", examples: [1] }),
    }),
  },
});
