/** The answers to writes of variables. */
import { type TSchema, Type } from "typebox";
import { At, Id, Text, Words } from "../../http/schemas.ts";
import { KIND } from "./views.ts";

const PLANNED = {
  name: Text("The variable's name.", "LOG_LEVEL"),
  kind: At(KIND, "The group that it is given in.", "plainText"),
};

const PlannedSchema = Type.Object(PLANNED, {
  title: "PlannedEnvVariable",
  description: "A variable of a planned write.",
});

const listOf = (item: TSchema, description: string, isEmpty = true) =>
  Type.Array(item as typeof PlannedSchema, { description, ...(isEmpty ? { examples: [[]] } : {}) });

export const WritePlanSchema = Type.Object(
  {
    added: listOf(PlannedSchema, "New variables.", false),
    changed: Type.Array(
      Type.Object(
        { ...PLANNED, previousKind: At(KIND, "The group that it was set with before.", "plainText") },
        { title: "ChangedEnvVariable", description: "A variable that a planned write changes." },
      ),
      { description: "Variables that get another value, or another kind.", examples: [[]] },
    ),
    unchanged: listOf(PlannedSchema, "Variables that are like this already."),
    unknown: listOf(
      PlannedSchema,
      "Managed values that replace managed values of the same kind. Slipway does not know whether they differ, because it does not keep them.",
    ),
    deleted: listOf(
      PlannedSchema,
      "Variables that are deleted, with their present kind: those that `delete` names, or with a PUT all others.",
    ),
    refused: Type.Array(
      Type.Object(
        {
          ...PLANNED,
          code: Text("Why, for programs: an error code, or that of a fault.", "UNKNOWN_SERVICE"),
          message: Text(
            "What is wrong and what to do.",
            "It is not the id of a service of this environment.",
          ),
        },
        { title: "RefusedEnvVariable", description: "A variable that a planned write would be refused for." },
      ),
      {
        description:
          "Variables that cannot be set. If there are any, the request without `dryRun` is refused as a whole.",
        examples: [[]],
      },
    ),
  },
  {
    title: "EnvVariablesPlan",
    description: "What a write would do to each variable, ordered by name. Each name is in one of the lists.",
  },
);

const SAVED = {
  status: Words(["completed", "dryRun"], {
    title: "EnvVariablesWriteStatus",
    description:
      "`completed`: all variables have taken effect. `dryRun`: nothing was done, and `plan` says what would be.",
  }),
  savedCount: Type.Integer({
    description: "How many variables have already taken effect.",
    examples: [4],
  }),
};

const PROCESSING = {
  status: Type.Unsafe<"processing">({
    type: "string",
    enum: ["processing"],
    description: "Managed values are being stored in the cloud account.",
  }),
  runId: Id("run", "The run that stores the managed values."),
  savedCount: SAVED.savedCount,
  processingCount: Type.Integer({
    description: "How many values are being stored in the cloud account.",
    examples: [2],
  }),
};

const DELETED_COUNT = "How many variables were deleted.";
const REMOVING_COUNT =
  "Of how many of them the value is still being removed from the cloud account. The list shows these as `REMOVING` until then.";
const DELETED = {
  deletedCount: Type.Integer({ description: DELETED_COUNT, examples: [1] }),
  removingCount: Type.Integer({ description: REMOVING_COUNT, examples: [0] }),
};

/** Left out of the example: only the answer to a request with `delete` has them. */
const MAY_DELETE = {
  deletedCount: Type.Optional(Type.Integer({ description: DELETED_COUNT })),
  removingCount: Type.Optional(Type.Integer({ description: REMOVING_COUNT })),
};

/** Left out of the example: only the answer to a dry run has it. */
const PLAN = { plan: Type.Optional(At(WritePlanSchema, "What the request would do; only after a dry run.")) };

export const CompletedSchema = Type.Object(
  { ...SAVED, ...MAY_DELETE, ...PLAN },
  {
    title: "EnvVariablesSaved",
    description: "Variables that have taken effect; after a dry run, what would have.",
  },
);

export const ProcessingSchema = Type.Object(
  { ...PROCESSING, ...MAY_DELETE },
  {
    title: "EnvVariablesProcessing",
    description: "Variables that have taken effect, and a run that stores managed values.",
  },
);

export const ReplacedSchema = Type.Object(
  { ...SAVED, ...DELETED, ...PLAN },
  {
    title: "EnvVariablesReplaced",
    description:
      "All variables of the scope have taken effect, and its others are deleted; after a dry run, what would be.",
  },
);

export const ReplacingSchema = Type.Object(
  { ...PROCESSING, ...DELETED },
  {
    title: "EnvVariablesReplacing",
    description: "The scope's variables were replaced, and a run stores managed values.",
  },
);

export const DeletedSchema = Type.Object(DELETED, {
  title: "EnvVariablesDeleted",
  description: "Variables that were deleted.",
});
