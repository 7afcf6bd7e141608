import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { AppError, type Fault } from "../errors.ts";
import { escapePointer } from "../json-pointer.ts";

export type Part = "body" | "query" | "params" | "headers";

export type Validators = { compile(part: Part, schema: object): (value: unknown) => void };

/** Compiles schemas to checks that report every fault at once. Query parameters are text, so they alone are converted. */
export function createValidators(): Validators {
  const strict = new Ajv({ allErrors: true, strict: false, useDefaults: true, verbose: false });
  const converting = new Ajv({ allErrors: true, strict: false, useDefaults: true, coerceTypes: true });
  addFormats.default(strict);
  addFormats.default(converting);
  return {
    compile(part, schema) {
      const validate = (part === "query" ? converting : strict).compile(schema);
      return (value) => {
        if (part === "body" && (value === undefined || value === null)) throw invalidRequest([NO_BODY]);
        if (!validate(value)) throw invalidRequest(toFaults(part, validate));
      };
    },
  };
}

/** @param faults every fault that was found; the first also becomes the sentence of `detail` */
export function invalidRequest(faults: readonly Fault[]): AppError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see errors)` : "";
  const detail =
    first === undefined ? "The request is not valid." : `${first.path || "/"}: ${first.message}${more}`;
  return new AppError("INVALID_REQUEST", detail, { faults });
}

const NO_BODY: Fault = { path: "", code: "REQUIRED", message: "a JSON object is required as the body" };

const MAX_FAULTS = 100;

function toFaults(part: Part, validate: ValidateFunction): readonly Fault[] {
  const errors = validate.errors ?? [];
  // An `anyOf` reports each branch; keep the sentence about the whole.
  return errors.slice(0, MAX_FAULTS).map((error) => toFault(part, error));
}

function toFault(part: Part, error: ErrorObject): Fault {
  const at = part === "body" ? error.instancePath : `${part}${error.instancePath}`;
  const params = error.params as Record<string, unknown>;
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
