import { COMMON_FAULTS, type DeclaredFault, escapePointer, type Fault, faultAt } from "../../lib/errors.ts";
import { Secret } from "../../sealing/secret.ts";
import {
  MANAGED_KINDS,
  type ManagedKind,
  type PlainVariable,
  VARIABLE_KINDS,
  type VariableKind,
} from "./env-variable.ts";
import { type TUnsafe, Type } from "typebox";

export type Link = { readonly id: string; readonly value: string };

/** The body of the two requests that set variables (specification, "Environment variable groups"). */
export type VariableGroups = {
  readonly [K in VariableKind]?: Readonly<Record<string, K extends "fromService" ? Link : string>>;
} & { readonly availableInPreviews?: boolean };

export type ManagedEntry = { readonly name: string; readonly kind: ManagedKind; readonly value: Secret };

export const NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$";
const NAME = new RegExp(NAME_PATTERN);
const NAME_LENGTH_MAX = 255;
/** To set, and to delete. */
export const VARIABLES_PER_REQUEST_MAX = 2_000;

/** Bytes of UTF-8. Plain text: our limit; then SSM's standard tier, and Secrets Manager's SecretString. */
const SIZE_MAX: Readonly<Record<"plainText" | ManagedKind, number>> = {
  plainText: 32_768,
  parameterStore: 4_096,
  secretsManager: 65_536,
};

/** SSM: a name or path of at most 15 levels, or a parameter's ARN, which sharing between accounts requires. */
const PARAMETER =
  /^(?:\/?[a-zA-Z0-9_.-]+(?:\/[a-zA-Z0-9_.-]+)*|arn:aws[a-z-]*:ssm:[a-z0-9-]+:[0-9]{12}:parameter\/[a-zA-Z0-9_.-]+(?:\/[a-zA-Z0-9_.-]+)*)$/;
const PARAMETER_LENGTH_MAX = 1_011;
const PARAMETER_LEVELS_MAX = 15;
/** A name or an ARN. An ARN may be followed by JSON key, version stage and version id, as in ECS. */
const SECRET =
  /^(?:[a-zA-Z0-9/_+=.@-]{1,512}|arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[a-zA-Z0-9/_+=.@-]{1,519}(?::[a-zA-Z0-9/_+=.@-]{0,256}){0,3})$/;

/**
 * What the schema cannot check: names, sizes in bytes, the form of references, and a name in two groups.
 * Skips values of the wrong type. No message quotes a value, and nothing is trimmed
 * or normalized. Whether a linked service exists is not checked here.
 */
export function findGroupFaults(body: unknown): readonly Fault[] {
  const faults: Fault[] = [];
  const places = new Map<string, string[]>();
  let count = 0;
  for (const kind of VARIABLE_KINDS) {
    for (const [name, value] of Object.entries(objectOf(objectOf(body)[kind]))) {
      const path = pathOf(kind, name);
      count += 1;
      places.set(name, [...(places.get(name) ?? []), path]);
      for (const fault of [findNameFault(name), findValueFault(kind, value)]) {
        if (fault !== null) faults.push({ path, ...fault });
      }
    }
  }
  for (const paths of places.values()) {
    for (const path of paths.length < 2 ? [] : paths) {
      const others = paths.filter((other) => other !== path).join(", ");
      faults.push(faultAt(path, COMMON_FAULTS.DUPLICATE, `is also in another group (${others}); keep one`));
    }
  }
  const hasManaged = MANAGED_KINDS.some((kind) => Object.keys(objectOf(objectOf(body)[kind])).length > 0);
  if (objectOf(body)["availableInPreviews"] === true && !hasManaged) {
    const message =
      "is only for values of parameterStore and secretsManager; previews always get a template's other variables";
    faults.push(faultAt(PREVIEWS_PATH, COMMON_FAULTS.NOT_ALLOWED, message));
  }
  if (count > VARIABLES_PER_REQUEST_MAX) {
    const message = `sets ${count} variables; set at most ${VARIABLES_PER_REQUEST_MAX} in one request`;
    faults.unshift(faultAt("", COMMON_FAULTS.TOO_LARGE, message));
  }
  return faults.slice(0, FAULTS_MAX);
}

/** More would hide the first ones. */
export const FAULTS_MAX = 100;

/** Like `findGroupFaults`. Also, each name to delete must be given once, and must not be set by the same request. */
export function findChangeFaults(body: unknown): readonly Fault[] {
  const faults = [...findGroupFaults(body)];
  const { delete: names } = objectOf(body);
  const places = new Map(
    VARIABLE_KINDS.flatMap((kind) =>
      Object.keys(objectOf(objectOf(body)[kind])).map((name) => [name, pathOf(kind, name)] as const),
    ),
  );
  for (const [index, name] of Array.isArray(names) ? names.entries() : []) {
    if (typeof name !== "string") continue;
    const path = `/delete/${index}`;
    const other = places.get(name);
    if (other !== undefined)
      faults.push(faultAt(path, COMMON_FAULTS.DUPLICATE, `is also at ${other}; keep one`));
    places.set(name, path);
  }
  return faults.slice(0, FAULTS_MAX);
}

/** The JSON Pointer of the scope of managed values. */
export const PREVIEWS_PATH = "/availableInPreviews";

/** The JSON Pointer of a variable in the body. */
export function pathOf(kind: VariableKind, name: string): string {
  return `/${kind}/${escapePointer(name)}`;
}

/** Splits a valid request into what can be saved at once and what goes to the cloud. */
export function readGroups(groups: VariableGroups): {
  readonly plain: readonly PlainVariable[];
  readonly managed: readonly ManagedEntry[];
} {
  const none = { plainValue: null, reference: null, linkedServiceId: null, linkedProperty: null };
  const entries = <T>(group: Readonly<Record<string, T>> | undefined) => Object.entries(group ?? {});
  const managed = (kind: ManagedKind): ManagedEntry[] =>
    entries(groups[kind]).map(([name, value]) => ({ name, kind, value: new Secret(value) }));
  const references = (kind: "fromParameterStore" | "fromSecretsManager"): PlainVariable[] =>
    entries(groups[kind]).map(([name, reference]) => ({ ...none, name, kind, reference }));
  return {
    plain: [
      ...entries(groups.plainText).map(([name, plainValue]): PlainVariable => ({
        ...none,
        name,
        kind: "plainText",
        plainValue,
      })),
      ...references("fromParameterStore"),
      ...references("fromSecretsManager"),
      ...entries(groups.fromService).map(([name, { id, value }]): PlainVariable => {
        return { ...none, name, kind: "fromService", linkedServiceId: id, linkedProperty: value };
      }),
    ],
    managed: [...managed("parameterStore"), ...managed("secretsManager")],
  };
}

/** Whether a write only contains plain values and references. */
export function isPlain({ plain, managed }: ReturnType<typeof readGroups>): boolean {
  return managed.length === 0 && plain.length > 0 && plain.every(({ kind }) => kind !== "fromService");
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}

type Found = Pick<Fault, "code" | "message"> | null;

function found({ code }: DeclaredFault, message: string): Found {
  return { code, message };
}

/** Why a text cannot be the name of a variable; null if it can. */
export function findNameFault(name: string): Found {
  if (name.length > NAME_LENGTH_MAX)
    return found(COMMON_FAULTS.TOO_LARGE, `has a name of more than ${NAME_LENGTH_MAX} characters`);
  if (NAME.test(name)) return null;
  const message = "has an invalid name; use letters, digits and _, and begin with a letter or _";
  return found(COMMON_FAULTS.WRONG_FORM, message);
}

/** Finds the fault of a value of this kind (for references and links: of their target). Never quotes the value. */
export function findValueFault(kind: VariableKind, value: unknown): Found {
  // The schema reports wrong types.
  if (typeof value !== "string") return null;
  switch (kind) {
    case "plainText":
    case "parameterStore":
    case "secretsManager":
      return findSizeFault(kind, value);
    case "fromParameterStore":
      return isParameter(value)
        ? null
        : found(COMMON_FAULTS.WRONG_FORM, "must be the path of a parameter, such as /my-app/db-password");
    case "fromSecretsManager":
      return SECRET.test(value)
        ? null
        : found(COMMON_FAULTS.WRONG_FORM, "must be the name or the ARN of a secret");
    case "fromService":
      return null;
  }
}

function isParameter(text: string): boolean {
  if (text.length > PARAMETER_LENGTH_MAX || !PARAMETER.test(text)) return false;
  const path = text.replace(/^arn:.*:parameter/, "").replace(/^\//, "");
  return path.split("/").length <= PARAMETER_LEVELS_MAX;
}

function findSizeFault(kind: "plainText" | ManagedKind, value: string): Found {
  // PutParameter's Value and Secrets Manager's SecretString both have a minimum length of 1.
  if (value === "" && kind !== "plainText")
    return found(
      COMMON_FAULTS.TOO_SMALL,
      "must not be empty, because the store does not accept empty values",
    );
  const max = SIZE_MAX[kind];
  if (Buffer.byteLength(value) <= max) return null;
  const advice =
    kind === "parameterStore" ? `; secretsManager accepts up to ${SIZE_MAX.secretsManager} bytes` : "";
  return found(COMMON_FAULTS.TOO_LARGE, `must have at most ${max} bytes in UTF-8${advice}`);
}

/** An object of texts by name. */
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

export const LINK = {
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
    value: {
      type: "string",
      description:
        "Its property: `url`, `host` or `port`; of a database `dbConnectionString`, `username`, `password`, `dbName`, `host` or `port`; of a cache `connectionString`, `host`, `port` or `authToken`; of a bucket `bucketName`.",
      examples: ["url"],
    },
  },
};

/** The body of the requests that set variables. */
export const GROUPS = {
  plainText: Type.Optional(
    Texts("Stored by Slipway as plain text, at most 32 KiB each.", { LOG_LEVEL: "info" }),
  ),
  parameterStore: Type.Optional(
    Texts("Secrets, at most 4 KiB each. Slipway stores them in Parameter Store of the cloud account.", {
      SESSION_KEY: "a-long-random-text",
    }),
  ),
  secretsManager: Type.Optional(
    Texts("Secrets, at most 64 KiB each. Slipway stores them in Secrets Manager of the cloud account.", {
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
  availableInPreviews: Type.Optional(
    Type.Boolean({
      description:
        "The scope of the request's values of `parameterStore` and `secretsManager`; `true` is for a template only. `true`: previews of the repository's own pull requests get them, and so does the code of these pull requests; previews of forks never do. `false`: no preview gets them. If it is missing, values keep their scope, and new ones are for no preview. To change the scope of a value, delete the variable first.",
      examples: [false],
    }),
  ),
};

export const REPLACE_VARIABLES = {
  title: "ReplaceEnvVariablesRequest",
  description: "Variables, grouped by how they are stored. A name may be in one group only.",
};

/** Variables to set, with names to delete: a whole change is one request. */
export const CHANGES = {
  ...GROUPS,
  delete: Type.Optional(
    Type.Array(Type.String({ pattern: NAME_PATTERN }), {
      maxItems: VARIABLES_PER_REQUEST_MAX,
      description:
        "Names of variables to delete in the same transaction. All of them must have been set with the API.",
      examples: [[]],
    }),
  ),
};

export const SET_VARIABLES = {
  title: "SetEnvVariablesRequest",
  description:
    "Variables, grouped by how they are stored, and names of others to delete. A name may be in one place only.",
};
