import { LINES, ONE_LINE } from "../shown-text.ts";
import { COMMON_FAULTS, type Fault } from "../errors.ts";
import { escapePointer } from "./json-pointer.ts";

/** An error of Ajv, as Fastify passes it on. */
type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/**
 * Turns an error of schema validation into a fault with our codes. @param part names the part of the request; empty for
 * a body
 */
export function describeSchemaError(error: SchemaError, part = ""): Fault {
  const { params } = error;
  const at = `${part}${error.instancePath}`;
  switch (error.keyword) {
    case "additionalProperties":
      return {
        path: `${at}/${escapePointer(String(params["additionalProperty"]))}`,
        code: COMMON_FAULTS.UNKNOWN_FIELD.code,
        message: "is not a field of this request; remove it or correct its name",
      };
    case "required":
      return {
        path: `${at}/${escapePointer(String(params["missingProperty"]))}`,
        code: COMMON_FAULTS.REQUIRED.code,
        message: "is required",
      };
    case "enum":
      return {
        path: at,
        code: COMMON_FAULTS.NOT_ALLOWED.code,
        message: `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`,
      };
    case "type":
      return {
        path: at,
        code: COMMON_FAULTS.WRONG_TYPE.code,
        message: `must be of type ${String(params["type"])}`,
      };
    case "pattern":
      return {
        path: at,
        code: COMMON_FAULTS.WRONG_FORM.code,
        message: describePattern(String(params["pattern"])),
      };
    case "format":
      return {
        path: at,
        code: COMMON_FAULTS.WRONG_FORM.code,
        message: FORMATS[String(params["format"])] ?? "has the wrong form",
      };
    case "minLength":
      return {
        path: at,
        code: COMMON_FAULTS.TOO_SMALL.code,
        message: atLeast(params["limit"], "character", "must not be empty"),
      };
    case "minItems":
      return { path: at, code: COMMON_FAULTS.TOO_SMALL.code, message: atLeast(params["limit"], "item") };
    case "minimum":
      return {
        path: at,
        code: COMMON_FAULTS.TOO_SMALL.code,
        message: `must be ${String(params["limit"])} or more`,
      };
    case "maxLength":
      return { path: at, code: COMMON_FAULTS.TOO_LARGE.code, message: atMost(params["limit"], "character") };
    case "maxItems":
      return { path: at, code: COMMON_FAULTS.TOO_LARGE.code, message: atMost(params["limit"], "item") };
    case "maxProperties":
      return { path: at, code: COMMON_FAULTS.TOO_LARGE.code, message: atMost(params["limit"], "member") };
    case "maximum":
      return {
        path: at,
        code: COMMON_FAULTS.TOO_LARGE.code,
        message: `must be ${String(params["limit"])} or less`,
      };
    case "uniqueItems":
      return { path: at, code: COMMON_FAULTS.DUPLICATE.code, message: "must not contain an item twice" };
    default:
      return { path: at, code: COMMON_FAULTS.INVALID.code, message: "is not valid here" };
  }
}

function atLeast(limit: unknown, unit: string, ofOne = `must have at least one ${unit}`): string {
  return limit === 1 ? ofOne : `must have at least ${String(limit)} ${unit}s`;
}

function atMost(limit: unknown, unit: string): string {
  return `must have at most ${String(limit)} ${unit}${limit === 1 ? "" : "s"}`;
}

/** What people read instead of a regular expression. */
const PATTERNS: Readonly<Record<string, string>> = {
  "^ver_[0-9A-Za-z]{1,60}$": "must be a version's id, such as ver_01kahy5wz5d2m7x4s9q3b6v8ke",
  "^[0-9]{1,15}$": "must be a number, in digits",
  [ONE_LINE]:
    "must not be only white space, and must have no line breaks, control characters or marks of text direction",
  [LINES]: "must not be only white space, and must have no control characters or marks of text direction",
  "^[a-zA-Z0-9][a-zA-Z0-9_-]*$":
    "must begin with a letter or digit and contain only letters, digits, - and _",
  "^[A-Za-z_][A-Za-z0-9_]*$": "must begin with a letter or _ and contain only letters, digits and _",
  "^[A-Za-z0-9.*-]+$": "must contain only letters, digits, dots, hyphens and *",
  "^[A-Za-z_][A-Za-z0-9_]*(?:,[A-Za-z_][A-Za-z0-9_]*)*$":
    "must be names of letters, digits and _, separated by commas",
  "^[!-~]+$": "must contain only printable ASCII characters and no spaces",
  "^/[!-~]*$": "must begin with / and contain only printable ASCII characters and no spaces",
  "^/": "must begin with /",
  "^[0-9]{12}$": "must be the 12 digits of an AWS account's id",
  "^[a-z]{2,4}(-[a-z]{2,12}){1,2}-[1-9]$": "must be an AWS region, such as us-west-2",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "must be an email address, such as ada@example.com",
  "date-time": "must be a time, such as 2026-11-20T09:30:00Z",
  uuid: "must be a UUID",
};

/** Patterns without a text here belong to endpoints that no person writes to. */
export function describePattern(pattern: string): string {
  return PATTERNS[pattern] ?? `must match ${pattern}`;
}
