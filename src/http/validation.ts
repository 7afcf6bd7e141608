import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { AppError, type Fault } from "../errors.ts";
import { describeSchemaError } from "../schema-fault.ts";

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
  return errors.slice(0, MAX_FAULTS).map((error) => describeSchemaError(error, part === "body" ? "" : part));
}
