import { type TUnsafe, Type } from "typebox";
import { Instant, Nullable, Words } from "../http/schemas.ts";
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
function Texts(description: string): TUnsafe<Readonly<Record<string, string>>> {
  return Type.Unsafe({ type: "object", additionalProperties: { type: "string" }, description });
}

const LINK = {
  type: "object",
  required: ["id", "value"],
  additionalProperties: false,
  properties: {
    id: { type: "string", description: "Id of another service of the environment." },
    value: { type: "string", description: "Its property: `url`, `host` or `port`." },
  },
};

/** The body of the requests that set variables. */
export const GROUPS = {
  plainText: Type.Optional(Texts("Stored by Slipway as plain text, at most 32 KiB each.")),
  parameterStore: Type.Optional(
    Texts("Secrets, at most 4 KiB each. Slipway puts them into the parameter store of the cloud account."),
  ),
  secretsManager: Type.Optional(
    Texts("Secrets, at most 64 KiB each. Slipway puts them into the secrets manager of the cloud account."),
  ),
  fromParameterStore: Type.Optional(Texts("Paths of parameters that you manage.")),
  fromSecretsManager: Type.Optional(Texts("Names or ARNs of secrets that you manage.")),
  fromService: Type.Optional(
    Type.Unsafe<Readonly<Record<string, Link>>>({
      type: "object",
      additionalProperties: LINK,
      description: "Values of other services of the environment.",
    }),
  ),
};

export const CompletedSchema = Type.Object({
  status: Words(["completed"]),
  savedCount: Type.Integer(),
});

export const ProcessingSchema = Type.Object({
  status: Words(["processing"]),
  runId: Type.String(),
  savedCount: Type.Integer({ description: "Saved already." }),
  processingCount: Type.Integer({ description: "On their way into the cloud account." }),
});

type Reference = { readonly fromParameterStore: string } | { readonly fromSecretsManager: string };

export const RunStatusSchema = Type.Object({
  isFinished: Type.Boolean(),
  processedEnvVariables: Type.Integer({ description: "Managed values that are stored or have failed." }),
  totalExpectedEnvVars: Type.Integer({ description: "Managed values of the run." }),
  storedEnvVariables: Type.Unsafe<Readonly<Record<string, Reference>>>({
    type: "object",
    additionalProperties: {
      type: "object",
      properties: { fromParameterStore: { type: "string" }, fromSecretsManager: { type: "string" } },
    },
    description: "Where each stored value is.",
  }),
  failedEnvVariables: Type.Unsafe<Readonly<Record<string, { code: string; message: string }>>>({
    type: "object",
    additionalProperties: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
    },
    description: "Why values are not stored. What was in force before stays.",
  }),
});

const NULLABLE_LINK = Type.Unsafe<Link | null>({ ...LINK, type: ["object", "null"] });

export const EnvVariableSchema = Type.Object(
  {
    name: Type.String(),
    source: Words(VARIABLE_SOURCES, { description: "Set by the API, or by the project's configuration." }),
    kind: Words(VARIABLE_KINDS, { description: "The group that it was set with." }),
    value: Nullable(Type.String({ description: "Of plain text only." })),
    reference: Nullable(Type.String({ description: "A parameter's path or a secret's name or ARN." })),
    fromService: NULLABLE_LINK,
    state: Words(VARIABLE_STATES, {
      description:
        "`STORED`: in force. `PROCESSING`: accepted, nothing in force yet. `REMOVING`: deleted, its value still has to be removed from the cloud account.",
    }),
    pending: Type.Unsafe<{ kind: string; runId: string } | null>({
      type: ["object", "null"],
      required: ["kind", "runId"],
      properties: { kind: { type: "string", enum: MANAGED_KINDS }, runId: { type: "string" } },
      description: "A managed value that was accepted later and comes into force when it is stored.",
    }),
    lastError: Type.Unsafe<{ code: string; message: string } | null>({
      type: ["object", "null"],
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
      description: "Why removing has not worked yet; it is tried again.",
    }),
    updatedAt: Instant(),
  },
  { description: "An environment variable of an environment or a service." },
);

export const EffectiveVariableSchema = Type.Object({
  name: Type.String(),
  from: Words(["environment", "service"]),
  source: Words(VARIABLE_SOURCES),
  kind: Words(VARIABLE_KINDS),
  value: Nullable(
    Type.String({
      description:
        "Of plain text, and of linked values as they are now; null while a linked value is not known.",
    }),
  ),
  reference: Nullable(Type.String({ description: "Where the value is read from when the service starts." })),
  fromService: NULLABLE_LINK,
});

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
