import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { COMMON_FAULTS, type Fault, invalidRequest } from "../../lib/errors.ts";
import { describeSchemaError } from "../../lib/json/schema-fault.ts";

export type Part = "body" | "query" | "params" | "headers";

export type Validators = { compile(part: Part, schema: object): (value: unknown) => void };

/** Compiles schemas to checks that report every fault at once. */
export function createValidators(): Validators {
  const strict = new Ajv({ allErrors: true, strict: false, useDefaults: true, verbose: false });
  addFormats.default(strict);
  return {
    compile(part, schema) {
      const validate = strict.compile(schema);
      const inQuery = (type: string) => (part === "query" ? namesOfType(schema, type) : []);
      const [integers, booleans] = [inQuery("integer"), inQuery("boolean")];
      return (value) => {
        if (part === "body" && (value === undefined || value === null)) throw invalidRequest([NO_BODY]);
        readIntegers(value, integers);
        readBooleans(value, booleans);
        if (!validate(value)) throw invalidRequest(toFaults(part, validate));
      };
    },
  };
}

function namesOfType(schema: object, type: string): readonly string[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  return Object.keys(properties).filter((name) => properties[name]?.type === type);
}

/**
 * Query parameters are text. Integer parameters that are written as in JSON become numbers. Ajv's own conversion also
 * takes ` 5`, `+5`, `0x5` and `5e0`, which the reference does not promise.
 */
function readIntegers(query: unknown, names: readonly string[]): void {
  const values = query as Record<string, unknown>;
  for (const name of names) {
    const text = values[name];
    if (typeof text === "string" && /^(?:0|-?[1-9]\d*)$/.test(text)) values[name] = Number(text);
  }
}

/** The same for `true` and `false`. */
function readBooleans(query: unknown, names: readonly string[]): void {
  const values = query as Record<string, unknown>;
  for (const name of names) {
    if (values[name] === "true" || values[name] === "false") values[name] = values[name] === "true";
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
