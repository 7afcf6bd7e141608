import { COMMON_FAULTS, type Fault } from "../../lib/errors.ts";
import { escapePointer } from "../../lib/json/json-pointer.ts";
import { Secret } from "../../sealing/secret.ts";
import { type ManagedKind, type PlainVariable, VARIABLE_KINDS, type VariableKind } from "./env-variable.ts";

export type Link = { readonly id: string; readonly value: string };

/** The body of the two requests that set variables (specification, "Environment variable groups"). */
export type VariableGroups = {
  readonly [K in VariableKind]?: Readonly<Record<string, K extends "fromService" ? Link : string>>;
};

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
      for (const found of [findNameFault(name), findValueFault(kind, value)]) {
        if (found !== null) faults.push({ path, ...found });
      }
    }
  }
  for (const paths of places.values()) {
    for (const path of paths.length < 2 ? [] : paths) {
      const others = paths.filter((other) => other !== path).join(", ");
      faults.push({
        path,
        code: COMMON_FAULTS.DUPLICATE.code,
        message: `is also in another group (${others}); keep one`,
      });
    }
  }
  if (count > VARIABLES_PER_REQUEST_MAX) {
    faults.unshift({
      path: "",
      code: COMMON_FAULTS.TOO_LARGE.code,
      message: `sets ${count} variables; set at most ${VARIABLES_PER_REQUEST_MAX} in one request`,
    });
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
      faults.push({ path, code: COMMON_FAULTS.DUPLICATE.code, message: `is also at ${other}; keep one` });
    places.set(name, path);
  }
  return faults.slice(0, FAULTS_MAX);
}

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
export function isPlain(groups: VariableGroups): boolean {
  const { plainText, fromParameterStore, fromSecretsManager } = groups;
  const isEmpty = (group: object = {}): boolean => Object.keys(group).length === 0;
  if (![groups.parameterStore, groups.secretsManager, groups.fromService].every(isEmpty)) return false;
  return ![plainText, fromParameterStore, fromSecretsManager].every(isEmpty);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}

type Found = Pick<Fault, "code" | "message"> | null;

/** Why a text cannot be the name of a variable; null if it can. */
export function findNameFault(name: string): Found {
  if (name.length > NAME_LENGTH_MAX)
    return {
      code: COMMON_FAULTS.TOO_LARGE.code,
      message: `has a name of more than ${NAME_LENGTH_MAX} characters`,
    };
  if (NAME.test(name)) return null;
  return {
    code: COMMON_FAULTS.WRONG_FORM.code,
    message: "has an invalid name; use letters, digits and _, and begin with a letter or _",
  };
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
      if (isParameter(value)) return null;
      return {
        code: COMMON_FAULTS.WRONG_FORM.code,
        message: "must be the path of a parameter, such as /my-app/db-password",
      };
    case "fromSecretsManager":
      if (SECRET.test(value)) return null;
      return { code: COMMON_FAULTS.WRONG_FORM.code, message: "must be the name or the ARN of a secret" };
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
    return {
      code: COMMON_FAULTS.TOO_SMALL.code,
      message: "must not be empty, because the store does not accept empty values",
    };
  const max = SIZE_MAX[kind];
  if (Buffer.byteLength(value) <= max) return null;
  const advice =
    kind === "parameterStore" ? `; secretsManager accepts up to ${SIZE_MAX.secretsManager} bytes` : "";
  return { code: COMMON_FAULTS.TOO_LARGE.code, message: `must have at most ${max} bytes in UTF-8${advice}` };
}
