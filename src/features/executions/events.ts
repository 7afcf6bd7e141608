import { Type } from "typebox";
import { Count, Id, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";
import { EXECUTION_TRIGGERS } from "./execution.ts";

const EXECUTION = {
  service: Text("The service's id in the configuration.", "worker"),
  executionId: Id("exec", "The execution."),
  jobId: Nullable(Text("The job's id in the configuration; null for a one-off run.", "nightly")),
  trigger: Words(EXECUTION_TRIGGERS, { description: "What started it.", examples: ["schedule"] }),
  scheduledFor: NullableInstant("The minute of the schedule; null without one.", "2026-11-20T03:00:00.000Z"),
  attempt: Count("The attempt, from 1.", 1),
};
const FAILURE = {
  ...EXECUTION,
  exitCode: Nullable(Count("The command's exit code; null if it was stopped or did not start.", 1)),
  error: CodedErrorSchema,
};

export const EXECUTION_EVENTS = declareEvents({
  "execution.created": {
    subject: "service",
    description: "A command is to run in a service's live release.",
    data: Type.Object(EXECUTION),
  },
  "execution.succeeded": {
    subject: "service",
    description: "A command ended with exit code 0.",
    data: Type.Object(EXECUTION),
  },
  "execution.failed": {
    subject: "service",
    description: "A command failed, reached its time limit, or could not start.",
    data: Type.Object(FAILURE),
  },
  "job.failed": {
    subject: "service",
    description: "A start of a job failed or reached its time limit, and is not repeated.",
    data: Type.Object(FAILURE),
  },
  "execution.cancelled": {
    subject: "service",
    description: "A command was cancelled.",
    data: Type.Object(EXECUTION),
  },
});
