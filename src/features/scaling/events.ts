import { Type } from "typebox";
import { Count, Text } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";

const SCALED = {
  service: Text("Its id in the configuration.", "web"),
  desiredCount: Count("The number of instances that a client asked for.", 3),
};

export const SCALING_EVENTS = declareEvents({
  "service.scaled": {
    subject: "service",
    description: "The cloud took the number of instances that a client asked for.",
    data: Type.Object(SCALED),
  },
  "service.scaling_failed": {
    subject: "service",
    description: "The number of instances that a client asked for could not be set. The number is unchanged.",
    data: Type.Object({ ...SCALED, error: CodedErrorSchema }),
  },
});
