import { Type } from "typebox";
import { Count, Id, Nullable, Text, Words } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";
import { VARIABLE_KINDS, VARIABLE_SOURCES } from "./env-variable.ts";

const VARIABLES = {
  source: Words(VARIABLE_SOURCES, {
    description: "Whether they were set with the API or are in the configuration.",
    examples: ["api"],
  }),
  variables: Type.Array(
    Type.Object(
      {
        name: Text("The variable's name.", "DATABASE_PASSWORD"),
        kind: Words(VARIABLE_KINDS, { description: "Its kind.", examples: ["secretsManager"] }),
        runId: Nullable(Id("run", "The run that stores it in the cloud account; null for other kinds.")),
      },
      { title: "EventVariable", description: "A variable, without its value." },
    ),
    { description: "The variables, ordered by name." },
  ),
  namesOmitted: Count(
    "The number of further variables. An event lists about 18,000 bytes of them at most.",
    0,
  ),
};

export const VARIABLE_EVENTS = declareEvents({
  "env_variables.accepted": {
    subject: "env_variables",
    description: "Managed values were accepted. They take effect when the cloud account has stored them.",
    data: Type.Object(VARIABLES),
  },
  "env_variables.stored": {
    subject: "env_variables",
    description:
      "Variables of an environment or a service are in effect: plain values, references and links at once, managed values when they are stored, and those of a configuration when it is applied.",
    data: Type.Object(VARIABLES),
  },
  "env_variables.failed": {
    subject: "env_variables",
    description: "Managed values will not be stored, because of an error or a newer write (`SUPERSEDED`).",
    data: Type.Object({ ...VARIABLES, error: CodedErrorSchema }),
  },
  "env_variables.deleted": {
    subject: "env_variables",
    description:
      "Variables were deleted, or a configuration no longer has them. Managed values are removed from the cloud account in the background.",
    data: Type.Object(VARIABLES),
  },
});
