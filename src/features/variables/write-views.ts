/** The answers to writes of variables, and the status of their runs. */
import { Type, type TSchema } from "typebox";
import type { RunItem } from "./env-variable.ts";
import { At, Count, Flag, Id, Text, Words } from "../../http/schemas.ts";
import { KIND, STORED_SECRET, VARIABLE_ERROR } from "./views.ts";

type Reference = { readonly fromParameterStore: string } | { readonly fromSecretsManager: string };

const STORED_PARAMETER = "/slipway/shop/production/SESSION_KEY";

export const RunStatusSchema = Type.Object(
  {
    isFinished: Flag("True when every value is stored or has failed.", true),
    processedEnvVariables: Count("The number of managed values that are stored or have failed.", 2),
    totalExpectedEnvVars: Count("The number of managed values in the run.", 2),
    storedEnvVariables: Type.Unsafe<Readonly<Record<string, Reference>>>({
      type: "object",
      additionalProperties: {
        type: "object",
        title: "StoredEnvVariable",
        description: "Where a managed value is stored: exactly one of the two fields.",
        properties: {
          fromParameterStore: {
            type: "string",
            description: "The path of its parameter.",
            examples: [STORED_PARAMETER],
          },
          fromSecretsManager: {
            type: "string",
            description: "The ARN of its secret.",
            examples: [STORED_SECRET],
          },
        },
      },
      description: "Where each value is stored, by name.",
      examples: [
        {
          SESSION_KEY: { fromParameterStore: STORED_PARAMETER },
          DATABASE_PASSWORD: { fromSecretsManager: STORED_SECRET },
        },
      ],
    }),
    failedEnvVariables: Type.Unsafe<Readonly<Record<string, { code: string; message: string }>>>({
      type: "object",
      additionalProperties: VARIABLE_ERROR,
      description: "Why values could not be stored, by name. Their previous values stay in effect.",
      examples: [{}],
    }),
  },
  { title: "EnvVariablesRun", description: "The progress of a run that stores managed values." },
);

/** The specification's run status. `Object.fromEntries` makes `__proto__` an ordinary key. */
export function viewRunStatus(items: readonly RunItem[]) {
  const stored: [string, Reference][] = [];
  const failed: [string, { code: string; message: string }][] = [];
  for (const { name, kind, reference, failureCode, failureMessage } of items) {
    if (reference !== null) {
      const field = kind === "parameterStore" ? "fromParameterStore" : "fromSecretsManager";
      stored.push([name, { [field]: reference } as Reference]);
    } else if (failureCode !== null) {
      failed.push([name, { code: failureCode, message: failureMessage ?? "" }]);
    }
  }
  const processed = stored.length + failed.length;
  return {
    isFinished: processed === items.length,
    processedEnvVariables: processed,
    totalExpectedEnvVars: items.length,
    storedEnvVariables: Object.fromEntries(stored),
    failedEnvVariables: Object.fromEntries(failed),
  };
}

const PLANNED = {
  name: Text("The variable's name.", "LOG_LEVEL"),
  kind: At(KIND, "The group of the request that has it.", "plainText"),
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
        { ...PLANNED, previousKind: At(KIND, "The group that it was previously set with.", "plainText") },
        { title: "ChangedEnvVariable", description: "A variable that a planned write changes." },
      ),
      { description: "Variables that get another value, or another kind.", examples: [[]] },
    ),
    unchanged: listOf(PlannedSchema, "Variables that already have this setting."),
    unknown: listOf(
      PlannedSchema,
      "Managed values that replace managed values of the same kind. Slipway does not know whether they differ, because it does not keep them.",
    ),
    deleted: listOf(
      PlannedSchema,
      "Variables that are deleted, with their present kind: the variables that `delete` names, or with a PUT all others.",
    ),
    refused: Type.Array(
      Type.Object(
        {
          ...PLANNED,
          code: Text("The reason, for programs: an error code or the code of a fault.", "UNKNOWN_SERVICE"),
          message: Text("The cause, and what to do.", "It is not the id of a service of this environment."),
        },
        {
          title: "RefusedEnvVariable",
          description: "A variable for which a planned write would be refused.",
        },
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
    description: "The effect of a write on each variable, ordered by name. Each name is in one of the lists.",
  },
);

const SAVED = {
  status: Words(["completed", "dryRun"], {
    title: "EnvVariablesWriteStatus",
    description:
      "`completed`: all variables have taken effect. `dryRun`: nothing has changed, and `plan` has the effects.",
  }),
  savedCount: Count("The number of variables that have already taken effect.", 4),
};

const PROCESSING = {
  status: Type.Unsafe<"processing">({
    type: "string",
    enum: ["processing"],
    description: "Managed values are being stored in the cloud account.",
  }),
  runId: Id("run", "The run that stores the managed values."),
  savedCount: SAVED.savedCount,
  processingCount: Count("The number of values that are being stored in the cloud account.", 2),
};

const DELETED_COUNT = "The number of deleted variables.";
const REMOVING_COUNT =
  "The number of deleted variables whose value is still being removed from the cloud account. The list shows these as `REMOVING` until then.";
const DELETED = {
  deletedCount: Count(DELETED_COUNT, 1),
  removingCount: Count(REMOVING_COUNT, 0),
};

/** Left out of the example: only the answer to a request with `delete` has them. */
const MAY_DELETE = {
  deletedCount: Type.Optional(Count(DELETED_COUNT)),
  removingCount: Type.Optional(Count(REMOVING_COUNT)),
};

/** Left out of the example: only the answer to a dry run has it. */
const PLAN = {
  plan: Type.Optional(At(WritePlanSchema, "The effects of the request; only after a dry run.")),
};

export const CompletedSchema = Type.Object(
  { ...SAVED, ...MAY_DELETE, ...PLAN },
  {
    title: "EnvVariablesSaved",
    description: "Variables that have taken effect; after a dry run, the variables that would take effect.",
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
      "Variables that have taken effect, after the others of the scope were deleted; after a dry run, the variables that would take effect.",
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
