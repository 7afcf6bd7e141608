import { type TUnsafe, Type } from "typebox";
import { At, Id, Nullable, UpdatedAt, Words } from "../../http/schemas.ts";
import {
  type EnvVariable,
  type ListedVariable,
  MANAGED_KINDS,
  type RunItem,
  VARIABLE_KINDS,
  VARIABLE_SOURCES,
  VARIABLE_STATES,
} from "./env-variable.ts";
import type { Link } from "./groups.ts";

/** Names to texts. */
function Texts(
  description: string,
  example: Readonly<Record<string, string>>,
): TUnsafe<Readonly<Record<string, string>>> {
  return Type.Unsafe({
    type: "object",
    additionalProperties: { type: "string" },
    description,
    examples: [example],
  });
}

const LINK = {
  type: "object",
  title: "ServiceLink",
  description: "A property of another service of the environment.",
  required: ["id", "value"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
      description: "Id of another service of the environment.",
      examples: ["svc_01kahxv3q2c8w5k1r7d4m9t6hn"],
    },
    value: { type: "string", description: "Its property: `url`, `host` or `port`.", examples: ["url"] },
  },
};

const VARIABLE_ERROR = {
  type: "object",
  title: "EnvVariableError",
  description: "Why a variable's value could not be stored or removed.",
  required: ["code", "message"],
  properties: {
    code: { type: "string", description: "What is wrong, for programs.", examples: ["ACCESS_DENIED"] },
    message: {
      type: "string",
      description: "What is wrong, and what to do.",
      examples: ["The role may not write this parameter. Update the stack with its newest template."],
    },
  },
};

/** The body of the requests that set variables. */
export const GROUPS = {
  plainText: Type.Optional(
    Texts("Stored by Slipway as plain text, at most 32 KiB each.", { LOG_LEVEL: "info" }),
  ),
  parameterStore: Type.Optional(
    Texts("Secrets, at most 4 KiB each. Slipway puts them into the parameter store of the cloud account.", {
      SESSION_KEY: "a-long-random-text",
    }),
  ),
  secretsManager: Type.Optional(
    Texts("Secrets, at most 64 KiB each. Slipway puts them into the secrets manager of the cloud account.", {
      DATABASE_PASSWORD: "another-long-random-text",
    }),
  ),
  fromParameterStore: Type.Optional(
    Texts("Paths of parameters that you manage.", { FEATURE_FLAGS: "/acme/production/feature-flags" }),
  ),
  fromSecretsManager: Type.Optional(
    Texts("Names or ARNs of secrets that you manage.", { API_TOKEN: "acme/production/api-token" }),
  ),
  fromService: Type.Optional(
    Type.Unsafe<Readonly<Record<string, Link>>>({
      type: "object",
      additionalProperties: LINK,
      description: "Values of other services of the environment.",
      examples: [{ API_URL: { id: "svc_01kahxv3q2c8w5k1r7d4m9t6hn", value: "url" } }],
    }),
  ),
};

export const SET_VARIABLES = {
  title: "SetEnvVariablesRequest",
  description: "Variables by the way in which they are kept; a name may be in one group only.",
};

const SAVED_COUNT = Type.Integer({ description: "How many variables are in force already.", examples: [4] });

export const CompletedSchema = Type.Object(
  {
    status: Type.Unsafe<"completed">({
      type: "string",
      enum: ["completed"],
      description: "All of it is done.",
    }),
    savedCount: SAVED_COUNT,
  },
  { title: "EnvVariablesSaved", description: "Variables that are in force." },
);

export const ProcessingSchema = Type.Object(
  {
    status: Type.Unsafe<"processing">({
      type: "string",
      enum: ["processing"],
      description: "Managed values are on their way into the cloud account.",
    }),
    runId: Id("run", "The run that stores the managed values."),
    savedCount: SAVED_COUNT,
    processingCount: Type.Integer({
      description: "How many values are on their way into the cloud account.",
      examples: [2],
    }),
  },
  {
    title: "EnvVariablesProcessing",
    description: "Variables that are in force, and a run that stores managed values.",
  },
);

type Reference = { readonly fromParameterStore: string } | { readonly fromSecretsManager: string };

const STORED_PARAMETER = "/slipway/shop/production/SESSION_KEY";
const STORED_SECRET = "arn:aws:secretsmanager:us-west-2:111122223333:secret:slipway/DATABASE_PASSWORD-a1b2c3";

export const RunStatusSchema = Type.Object(
  {
    isFinished: Type.Boolean({
      description: "True when every value is stored or has failed.",
      examples: [true],
    }),
    processedEnvVariables: Type.Integer({
      description: "Managed values that are stored or have failed.",
      examples: [2],
    }),
    totalExpectedEnvVars: Type.Integer({ description: "Managed values of the run.", examples: [2] }),
    storedEnvVariables: Type.Unsafe<Readonly<Record<string, Reference>>>({
      type: "object",
      additionalProperties: {
        type: "object",
        title: "StoredEnvVariable",
        description: "Where a managed value is: one of the two.",
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
      description: "Where each stored value is.",
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
      description: "Why values are not stored. What was in force before stays.",
      examples: [{}],
    }),
  },
  { title: "EnvVariablesRun", description: "How far a run that stores managed values is." },
);

const FROM_SERVICE = At(
  Type.Unsafe<Link | null>({ ...LINK, type: ["object", "null"] }),
  "The service's property that it is linked to; null for other kinds.",
  null,
);
const NAME = Type.String({ description: "The variable's name.", examples: ["DATABASE_PASSWORD"] });
const SOURCE = Words(VARIABLE_SOURCES, {
  title: "EnvVariableSource",
  description: "Set by the API, or by the project's configuration.",
});
const KIND = Words(VARIABLE_KINDS, {
  title: "EnvVariableKind",
  description: "The group that it was set with.",
  examples: ["secretsManager"],
});
const PENDING = {
  type: ["object", "null"],
  title: "PendingEnvVariable",
  description: "A managed value that was accepted later and comes into force when it is stored.",
  required: ["kind", "runId"],
  properties: {
    kind: {
      type: "string",
      enum: MANAGED_KINDS,
      title: "ManagedEnvVariableKind",
      description: "The group that it was set with.",
    },
    runId: Id("run", "The run that stores it."),
  },
};

export const EnvVariableSchema = Type.Object(
  {
    name: NAME,
    source: SOURCE,
    kind: KIND,
    value: Nullable(Type.String({ description: "Of plain text only.", examples: [null] })),
    reference: Nullable(
      Type.String({
        description: "A parameter's path or a secret's name or ARN.",
        examples: [STORED_SECRET],
      }),
    ),
    fromService: FROM_SERVICE,
    state: Words(VARIABLE_STATES, {
      title: "EnvVariableState",
      description:
        "`STORED`: in force. `PROCESSING`: accepted, nothing in force yet. `REMOVING`: deleted, its value still has to be removed from the cloud account.",
    }),
    pending: At(
      Type.Unsafe<{ kind: string; runId: string } | null>(PENDING),
      "A managed value that was accepted later; null when there is none.",
      null,
    ),
    lastError: At(
      Type.Unsafe<{ code: string; message: string } | null>({ ...VARIABLE_ERROR, type: ["object", "null"] }),
      "Why removing has not worked yet; it is tried again.",
      null,
    ),
    updatedAt: UpdatedAt(),
  },
  { title: "EnvVariable", description: "An environment variable of an environment or a service." },
);

/** What is different while it goes. */
export const REMOVING_EXAMPLE = { state: "REMOVING" };

export const EffectiveVariableSchema = Type.Object(
  {
    name: NAME,
    from: Words(["environment", "service"], {
      title: "EnvVariableOwner",
      description: "Whose variable it is.",
      examples: ["service"],
    }),
    source: SOURCE,
    kind: KIND,
    value: Nullable(
      Type.String({
        description:
          "Of plain text, and of linked values as they are now; null while a linked value is not known.",
        examples: [null],
      }),
    ),
    reference: Nullable(
      Type.String({
        description: "Where the value is read from when the service starts.",
        examples: [STORED_SECRET],
      }),
    ),
    fromService: FROM_SERVICE,
  },
  { title: "EffectiveEnvVariable", description: "What a service gets at runtime under one name." },
);

export function viewVariable(variable: ListedVariable) {
  const { name, source, kind, plainValue, reference, state, updatedAt } = variable;
  const { pendingKind, pendingRunId, errorCode, errorMessage } = variable;
  return {
    name,
    source,
    kind,
    value: plainValue,
    reference,
    fromService: viewLink(variable),
    state,
    pending:
      pendingKind === null || pendingRunId === null ? null : { kind: pendingKind, runId: pendingRunId },
    lastError:
      errorCode === null || errorMessage === null ? null : { code: errorCode, message: errorMessage },
    updatedAt: updatedAt.toISOString(),
  };
}

export function viewEffectiveVariable(
  variable: EnvVariable & { readonly from: "environment" | "service" },
  linkedValue: string | null,
) {
  const { name, from, source, kind, plainValue, reference } = variable;
  return {
    name,
    from,
    source,
    kind,
    value: plainValue ?? linkedValue,
    reference,
    fromService: viewLink(variable),
  };
}

function viewLink({
  linkedServiceId,
  linkedProperty,
}: Pick<EnvVariable, "linkedServiceId" | "linkedProperty">) {
  return linkedServiceId === null || linkedProperty === null
    ? null
    : { id: linkedServiceId, value: linkedProperty };
}

/** The spec's workflow status. `Object.fromEntries` makes `__proto__` a member like any other. */
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
