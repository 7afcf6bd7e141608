import { LINES, ONE_LINE } from "../shown-text.ts";
import { COMMON_FAULTS, type DeclaredFault, escapePointer, type Fault } from "../errors.ts";

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
export function describeSchemaError({ keyword, instancePath, params }: SchemaError, part = ""): Fault {
  const member = MEMBERS[keyword];
  const at = `${part}${instancePath}`;
  const path = member === undefined ? at : `${at}/${escapePointer(String(params[member]))}`;
  const [{ code }, message] = describe(keyword, params);
  return { path, code, message };
}

/** Keywords that are about a member of the object: the parameter that names it. */
const MEMBERS: Readonly<Record<string, string>> = {
  additionalProperties: "additionalProperty",
  required: "missingProperty",
};

function describe(keyword: string, params: SchemaError["params"]): readonly [DeclaredFault, string] {
  const limit = String(params["limit"]);
  switch (keyword) {
    case "additionalProperties":
      return [COMMON_FAULTS.UNKNOWN_FIELD, "is not a field of this request; remove it or correct its name"];
    case "required":
      return [COMMON_FAULTS.REQUIRED, "is required"];
    case "enum":
      return [
        COMMON_FAULTS.NOT_ALLOWED,
        `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`,
      ];
    case "type":
      return [COMMON_FAULTS.WRONG_TYPE, `must be of type ${[params["type"]].flat().join(" or ")}`];
    case "pattern":
      return [COMMON_FAULTS.WRONG_FORM, describePattern(String(params["pattern"]))];
    case "format":
      return [COMMON_FAULTS.WRONG_FORM, FORMATS[String(params["format"])] ?? "has the wrong form"];
    case "minLength":
      return [COMMON_FAULTS.TOO_SMALL, limit === "1" ? "must not be empty" : atLeast(limit, "character")];
    case "minItems":
      return [COMMON_FAULTS.TOO_SMALL, atLeast(limit, "item")];
    case "minimum":
      return [COMMON_FAULTS.TOO_SMALL, `must be ${limit} or more`];
    case "maxLength":
      return [COMMON_FAULTS.TOO_LARGE, atMost(limit, "character")];
    case "maxItems":
      return [COMMON_FAULTS.TOO_LARGE, atMost(limit, "item")];
    case "maxProperties":
      return [COMMON_FAULTS.TOO_LARGE, atMost(limit, "member")];
    case "maximum":
      return [COMMON_FAULTS.TOO_LARGE, `must be ${limit} or less`];
    case "uniqueItems":
      return [COMMON_FAULTS.DUPLICATE, "must not contain an item twice"];
    default:
      return [COMMON_FAULTS.INVALID, "is not valid here"];
  }
}

function atLeast(limit: string, unit: string): string {
  return `must have at least ${limit === "1" ? "one" : limit} ${unit}${limit === "1" ? "" : "s"}`;
}

function atMost(limit: string, unit: string): string {
  return `must have at most ${limit} ${unit}${limit === "1" ? "" : "s"}`;
}

/** What people read instead of a regular expression. */
const PATTERNS: Readonly<Record<string, string>> = {
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$": "must be base64 (RFC 4648, section 4)",
  "^#[0-9a-fA-F]{6}$": "must be a colour with six hexadecimal digits, such as #0a5c36",
  "^ver_[0-9A-Za-z]{1,60}$": "must be a version's id, such as ver_01kahy5wz5d2m7x4s9q3b6v8ke",
  "^snap_[0-9a-z]{26}$": "must be a snapshot's id, such as snap_01kahza1r6v0y4c8g2j5m9p3s7",
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
  "\\S": "must not be only white space",
  "^(?!(?:.*/)?\\.{1,2}(?:/|$))[\\w@.+-]+(?:/[\\w@.+-]+)*$":
    "must be a path in the repository of letters, digits, _, @, ., + and -, such as apps/web: no leading /, no . or ..",
  "^\\.$|^(?!(?:.*/)?\\.{1,2}(?:/|$))[\\w@.+-]+(?:/[\\w@.+-]+)*$":
    "must be . or a path in the repository of letters, digits, _, @, ., + and -, such as apps/web: no leading /, no ..",
  "^(?:[a-zA-Z0-9-]+(?:(?:\\.[a-zA-Z0-9-]+)+|(?=:))(?::[0-9]{1,5})?/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$":
    "must be the name of an image, such as ghcr.io/acme/api:1.4, without https://",
  "^([0-9a-f]{40}|[0-9a-f]{64})$": "must be the whole hash of a commit, in lower-case hex digits",
  "^[A-Za-z0-9_-]{22}$": "must be 22 letters, digits, - and _, as the page that leads here wrote them",
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
