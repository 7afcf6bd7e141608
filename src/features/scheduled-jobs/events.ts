import { Type } from "typebox";
import { Count, Instant, Nullable, Text } from "../../http/schemas.ts";
import { declareEvents } from "../events/event.ts";

export const SCHEDULED_JOB_EVENTS = declareEvents({
  "job.missed": {
    subject: "service",
    description: "Starts of a job were due while Slipway could not start them.",
    data: Type.Object({
      service: Text("The service's id in the configuration.", "jobs"),
      jobId: Text("The job's id in the configuration.", "nightly"),
      scheduledFor: Instant("The last missed start.", "2026-11-20T03:00:00.000Z"),
      missed: Nullable(Count("How many were missed; null for more than 10,000.", 3)),
    }),
  },
});
