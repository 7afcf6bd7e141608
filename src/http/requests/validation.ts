import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { COMMON_FAULTS, type Fault, invalidRequest } from "../../lib/errors.ts";
import { describeSchemaError } from "../../lib/json/schema-fault.ts";

export type Part = "body" | "query" | "params" | "headers";

export type Validators = { compile(part: Part, schema: object): (value: unknown) => void };

/** Compiles schemas to checks that report every fault at once. */
export function createValidators(): Validators {
  // Schemas are ours, and Ajv would need 30 ms to compile the schema of schemas.
  const strict = new Ajv({ allErrors: true, strict: false, useDefaults: true, validateSchema: false });
  addFormats.default(strict);
  return {
    compile(part, schema) {
      const validate = strict.compile(schema);
      return (value) => {
        if (part === "body" && (value === undefined || value === null)) throw invalidRequest([NO_BODY]);
        if (part === "query") readWords(value as Record<string, unknown>, schema);
        if (!validate(value)) throw invalidRequest(toFaults(part, validate));
      };
    },
  };
}

/** How an integer or a boolean of a query is written, by the name of the type: as in JSON. */
const WRITTEN: Readonly<Record<string, RegExp>> = {
  integer: /^(?:0|-?[1-9]\d*)$/,
  boolean: /^(?:true|false)$/,
};

/**
 * Query parameters are text. Integers and booleans that are written as in JSON are read. Ajv's own conversion also takes
 * ` 5`, `+5`, `0x5` and `5e0`, which the reference does not promise.
 */
function readWords(query: Record<string, unknown>, schema: object): void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text === "string" && WRITTEN[String(type)]?.test(text) === true)
      query[name] = JSON.parse(text);
  }
}

const NO_BODY: Fault = {
  path: "",
  code: COMMON_FAULTS.REQUIRED.code,
  message: "a JSON object is required as the body",
};

const MAX_FAULTS = 100;

function toFaults(part: Part, validate: ValidateFunction): readonly Fault[] {
  // First those of sizes, which `withFaults` must see.
  const errors = (validate.errors ?? []).toSorted((a, b) => Number(isSize(b)) - Number(isSize(a)));
  // An `anyOf` reports each branch; keep only the sentence about the whole.
  return errors.slice(0, MAX_FAULTS).map((error) => describeSchemaError(error, part === "body" ? "" : part));
}

function isSize({ keyword }: { readonly keyword: string }): boolean {
  return /^max(?:Length|Items|Properties)$/.test(keyword);
}
