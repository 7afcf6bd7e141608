import { Type } from "typebox";
import type { RunItem } from "./env-variable.ts";

export const VARIABLE_ERROR = {
  type: "object",
  title: "EnvVariableError",
  description: "Why a variable's value could not be stored or removed.",
  required: ["code", "message"],
  properties: {
    code: { type: "string", description: "What is wrong, for programs.", examples: ["ACCESS_DENIED"] },
    message: {
      type: "string",
      description: "What is wrong and what to do.",
      examples: ["The role may not write this parameter. Update the stack with its newest template."],
    },
  },
};

type Reference = { readonly fromParameterStore: string } | { readonly fromSecretsManager: string };

const STORED_PARAMETER = "/slipway/shop/production/SESSION_KEY";

export const STORED_SECRET =
  "arn:aws:secretsmanager:us-west-2:111122223333:secret:slipway/DATABASE_PASSWORD-a1b2c3";

export const RunStatusSchema = Type.Object(
  {
    isFinished: Type.Boolean({
      description: "True when every value is stored or has failed.",
      examples: [true],
    }),
    processedEnvVariables: Type.Integer({
      description: "How many managed values are stored or have failed.",
      examples: [2],
    }),
    totalExpectedEnvVars: Type.Integer({
      description: "How many managed values the run has.",
      examples: [2],
    }),
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
