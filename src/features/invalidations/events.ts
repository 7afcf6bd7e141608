import { Type } from "typebox";
import { Count, Id, Text } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";

const INVALIDATION = {
  service: Text("The service's id in the configuration.", "web"),
  invalidationId: Id("inv", "The invalidation."),
  paths: Count("The number of its paths.", 1),
};

export const INVALIDATION_EVENTS = declareEvents({
  "service.invalidated": {
    subject: "service",
    description:
      "An invalidation is complete: no cache of the service's distributions has its responses any longer.",
    data: Type.Object(INVALIDATION),
  },
  "service.invalidation_failed": {
    subject: "service",
    description: "The cloud refused an invalidation, or did not complete it.",
    data: Type.Object({ ...INVALIDATION, error: CodedErrorSchema }),
  },
});
