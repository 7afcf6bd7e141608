import { Type } from "typebox";
import {
  At,
  EXAMPLE_IDS,
  Flag,
  Id,
  Instant,
  Nullable,
  Text,
  UpdatedAt,
  Words,
  viewAs,
} from "../../http/schemas.ts";
import { LINK, type Link } from "./body.ts";
import {
  type EffectiveVariable,
  type EnvVariable,
  type ListedVariable,
  MANAGED_KINDS,
  VARIABLE_KINDS,
  VARIABLE_SOURCES,
  VARIABLE_STATES,
  type VariableVersion,
} from "./env-variable.ts";

export const STORED_SECRET =
  "arn:aws:secretsmanager:us-west-2:111122223333:secret:slipway/DATABASE_PASSWORD-a1b2c3";

export const VARIABLE_ERROR = {
  type: "object",
  title: "EnvVariableError",
  description: "Why a variable's value could not be stored or removed.",
  required: ["code", "message"],
  properties: {
    code: { type: "string", description: "The error code, for programs.", examples: ["ACCESS_DENIED"] },
    message: {
      type: "string",
      description: "The cause, and what to do.",
      examples: ["The role may not write this parameter. Update the stack with its newest template."],
    },
  },
};

const FROM_SERVICE = At(
  Type.Unsafe<Link | null>({ ...LINK, type: ["object", "null"] }),
  "The service property that the variable is linked to; null for other kinds.",
  null,
);

const NAME = Text("The variable's name.", "DATABASE_PASSWORD");

const SOURCE = Words(VARIABLE_SOURCES, {
  title: "EnvVariableSource",
  description: "Whether it was set with the API or is in the project's configuration.",
});

export const KIND = Words(VARIABLE_KINDS, {
  title: "EnvVariableKind",
  description: "The group that the variable was set with.",
  examples: ["secretsManager"],
});

const PENDING = {
  type: ["object", "null"],
  title: "PendingEnvVariable",
  description: "A newer managed value that takes effect when it is stored.",
  required: ["kind", "runId"],
  properties: {
    kind: {
      type: "string",
      enum: MANAGED_KINDS,
      title: "ManagedEnvVariableKind",
      description: "The group that the variable was set with.",
    },
    runId: Id("run", "The run that stores it."),
  },
};

export const EnvVariableSchema = Type.Object(
  {
    name: NAME,
    source: SOURCE,
    kind: KIND,
    availableInPreviews: Nullable(
      Flag(
        "Of a managed value of a template: whether previews of the repository's own pull requests get it. Null for other kinds: previews get the plain values of their template, and references and links too unless they are of a fork.",
        false,
      ),
    ),
    value: Nullable(Text("The value; only for plain text.", null)),
    reference: Nullable(Text("A parameter's path or a secret's name or ARN.", STORED_SECRET)),
    fromService: FROM_SERVICE,
    state: Words(VARIABLE_STATES, {
      title: "EnvVariableState",
      description:
        "`STORED`: in effect. `PROCESSING`: accepted, not in effect yet. `REMOVING`: deleted, but its value still has to be removed from the cloud account.",
    }),
    pending: At(
      Type.Unsafe<{ kind: string; runId: string } | null>(PENDING),
      "A newer managed value that is not in effect yet; null if there is none.",
      null,
    ),
    lastError: At(
      Type.Unsafe<{ code: string; message: string } | null>({ ...VARIABLE_ERROR, type: ["object", "null"] }),
      "Why its removal has failed so far. Slipway retries.",
      null,
    ),
    updatedAt: UpdatedAt(),
  },
  { title: "EnvVariable", description: "An environment variable of an environment or a service." },
);

/** The fields that differ while it is being removed. */
export const REMOVING_EXAMPLE = { state: "REMOVING" };

export const EffectiveVariableSchema = Type.Object(
  {
    name: NAME,
    from: Words(["environment", "service"], {
      title: "EnvVariableOwner",
      description: "Whether it is a variable of the service or of its environment.",
      examples: ["service"],
    }),
    source: SOURCE,
    kind: KIND,
    value: Nullable(
      Text(
        "The value, for plain text and links. Null for managed values, while a link has no value yet, and for a connection string with a password, which is put together where the service runs.",
        null,
      ),
    ),
    reference: Nullable(Text("Where the value is read from when the service starts.", STORED_SECRET)),
    fromService: FROM_SERVICE,
  },
  { title: "EffectiveEnvVariable", description: "A variable that a service gets at runtime." },
);

export function viewVariable(variable: ListedVariable) {
  const { pendingKind, pendingRunId, errorCode, errorMessage } = variable;
  return viewAs(EnvVariableSchema, {
    ...variable,
    availableInPreviews: variable.inPreviews,
    value: variable.plainValue,
    fromService: viewLink(variable),
    pending:
      pendingKind === null || pendingRunId === null ? null : { kind: pendingKind, runId: pendingRunId },
    lastError:
      errorCode === null || errorMessage === null ? null : { code: errorCode, message: errorMessage },
  });
}

export function viewEffectiveVariable({ variable, linkedValue }: EffectiveVariable) {
  const value = variable.plainValue ?? (linkedValue?.kind === "plainText" ? linkedValue.value : null);
  const reference =
    linkedValue !== null && "reference" in linkedValue ? linkedValue.reference : variable.reference;
  return viewAs(EffectiveVariableSchema, { ...variable, value, reference, fromService: viewLink(variable) });
}

function viewLink({
  linkedServiceId,
  linkedProperty,
}: Pick<EnvVariable, "linkedServiceId" | "linkedProperty">) {
  return linkedServiceId === null || linkedProperty === null
    ? null
    : { id: linkedServiceId, value: linkedProperty };
}

export const VersionId = (description: string) => Id("ver", description);

export const VersionSchema = Type.Object(
  {
    version: VersionId(
      "The identifier to restore the version with. All variables of one write have the same.",
    ),
    at: Instant("When it took effect."),
    userId: Nullable(
      Text("The user who set it; null if it was set before the history was kept.", EXAMPLE_IDS.user),
    ),
    apiKeyId: Nullable(
      Text("The API key, the session or the workload's token that was used.", EXAMPLE_IDS.key),
    ),
    requestId: Nullable(
      Text("The id of the request, as in the audit entry.", "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b"),
    ),
    isDeletion: Flag("Whether the variable was deleted; then it has no kind.", false),
    kind: Nullable(KIND),
    value: Nullable(Text("The value; only for plain text.", null)),
    reference: Nullable(Text("A parameter's path or a secret's name or ARN.", null)),
    fromService: FROM_SERVICE,
  },
  { title: "EnvVariableVersion", description: "One version of a variable." },
);

export function viewVersion(version: VariableVersion) {
  const { kind, plainValue: value } = version;
  return viewAs(VersionSchema, {
    ...version,
    isDeletion: kind === null,
    value,
    fromService: viewLink(version),
  });
}
