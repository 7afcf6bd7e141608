import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

export const DOMAIN_IMPORT_EVENTS = declareEvents({
  "service.domains_imported": {
    subject: "service",
    description:
      "Domains were imported into a service. Each has a `domain.created` event, and later events report its progress.",
    data: Type.Object({
      accepted: Type.Integer({ description: "Lines with a new domain.", examples: [1] }),
      duplicate: Type.Integer({ description: "Lines with a name that already existed.", examples: [0] }),
      invalid: Type.Integer({ description: "Lines without a valid domain name.", examples: [0] }),
      taken: Type.Integer({
        description: "Lines with a name that another service has, or that is being deleted.",
        examples: [0],
      }),
      quota: Type.Integer({ description: "Lines with a name for which no group has room.", examples: [0] }),
      createdGroups: Type.Integer({ description: "The number of created groups.", examples: [1] }),
    }),
  },
});
