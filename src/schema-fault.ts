import type { Fault } from "./errors.ts";
import { escapePointer } from "./json-pointer.ts";

/** As Ajv reports it, and Fastify hands it on. */
type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
};

/** What a schema's validation says of a value, in our codes. @param part names what the value is; empty for a body */
export function describeSchemaError(error: SchemaError, part = ""): Fault {
  const { params } = error;
  const at = `${part}${error.instancePath}`;
  switch (error.keyword) {
    case "additionalProperties":
      return {
        path: `${at}/${escapePointer(String(params["additionalProperty"]))}`,
        code: "UNKNOWN_FIELD",
        message: "is not a field of this request; remove it or correct its name",
      };
    case "required":
      return {
        path: `${at}/${escapePointer(String(params["missingProperty"]))}`,
        code: "REQUIRED",
        message: "is required",
      };
    case "enum":
      return {
        path: at,
        code: "NOT_ALLOWED",
        message: `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`,
      };
    case "type":
      return { path: at, code: "WRONG_TYPE", message: `must be of type ${String(params["type"])}` };
    case "pattern":
      return { path: at, code: "WRONG_FORM", message: `must match ${String(params["pattern"])}` };
    case "format":
      return { path: at, code: "WRONG_FORM", message: `must be of the form ${String(params["format"])}` };
    case "minLength":
    case "minItems":
    case "minimum":
      return { path: at, code: "TOO_SMALL", message: error.message ?? "is too small" };
    case "maxLength":
    case "maxItems":
    case "maximum":
    case "maxProperties":
      return { path: at, code: "TOO_LARGE", message: error.message ?? "is too large" };
    case "uniqueItems":
      return { path: at, code: "DUPLICATE", message: error.message ?? "must not hold an item twice" };
    default:
      return { path: at, code: "INVALID", message: error.message ?? "is not valid" };
  }
}
