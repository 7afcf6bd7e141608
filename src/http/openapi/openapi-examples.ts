import type { Schema } from "./openapi-components.ts";

/**
 * An example of a schema, composed of the examples of its parts: each is written once, beside its field. Undefined when
 * a part has no example; `test/audit/openapi.test.ts` lists such parts.
 */
export function exampleOf(schema: Schema): unknown {
  const { here, shownAs, examples, type, properties, items, anyOf, oneOf } = schema;
  if (here?.examples !== undefined) return here.examples[0];
  if (shownAs !== undefined) return exampleOf(shownAs);
  if (examples !== undefined) return examples[0];
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return exampleOf(first);
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, field]) => [name, exampleOf(field)] as const);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (items !== undefined) {
    const item = exampleOf(items);
    return item === undefined ? undefined : [item];
  }
  return [type].flat().includes("null") ? null : undefined;
}

/** An example with other values for some members, at any depth. */
export function withDifferences(example: unknown, differences: object): unknown {
  if (!isRecord(example)) return example;
  const changed = Object.entries(differences).map(([name, value]: [string, unknown]) => [
    name,
    isRecord(value) ? withDifferences(example[name] ?? {}, value) : value,
  ]);
  return { ...example, ...Object.fromEntries(changed) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
