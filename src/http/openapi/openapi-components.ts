/**
 * Schemas of routes contain one another. In the reference, each schema with a `title` becomes a component of that name,
 * and other schemas refer to it. So generated clients have one `Domain`, not a copy in each answer. Validation and
 * serialization use the schemas as they are: no reference is resolved at a request.
 */
import { isObject } from "../../lib/json/is-object.ts";

/** The part of JSON Schema that the reference uses. */
export type Schema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly $schema?: string;
  readonly contentMediaType?: string;
  /** Our own keyword (`At`): what is true of the schema in this one place. The rest is in the component. */
  readonly here?: { readonly description?: string; readonly examples?: readonly unknown[] };
  /** Our own keyword (`ShownAs`): what the reference shows instead of the schema that checks requests. */
  readonly shownAs?: Schema;
};

export type Components = {
  /** The schema as the reference shows it, with references to its components. */
  place(schema: Schema): object;
  /** Every component that was referred to, by name, in alphabetical order. */
  schemas(): Readonly<Record<string, object>>;
};

export function createComponents(): Components {
  const known = new Map<string, { readonly text: string; readonly component: object }>();

  function placed(schema: Schema, definitions: Definitions): object {
    const { here, shownAs, $ref } = schema;
    if (shownAs !== undefined) return { ...placed(shownAs, shownAs.definitions ?? {}), ...here };
    if ($ref !== undefined) return { ...placed(definitionOf($ref, definitions), definitions), ...here };
    const { title, here: _here, ...own } = schema;
    if (title === undefined) return { ...inner(allowNull(own), definitions), ...here };
    const reference = { $ref: `#/components/schemas/${title}` };
    const isNullable = Array.isArray(own.type) && own.type.includes("null");
    name(title, inner(isNullable ? withoutNull(own) : own, definitions));
    return { ...(isNullable ? { anyOf: [reference, { type: "null" }] } : reference), ...here };
  }

  function inner(schema: Schema, definitions: Definitions): object {
    const { $schema: _, definitions: _definitions, ...known } = schema;
    const { properties, items, additionalProperties, anyOf, oneOf, ...rest } = known;
    const place = (one: Schema): object => placed(one, definitions);
    return {
      ...rest,
      ...(properties === undefined ? {} : { properties: mapValues(properties, place) }),
      ...(items === undefined ? {} : { items: place(items) }),
      ...(additionalProperties === undefined
        ? {}
        : {
            additionalProperties:
              typeof additionalProperties === "object" ? place(additionalProperties) : additionalProperties,
          }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map(place) }),
      ...(oneOf === undefined ? {} : { oneOf: oneOf.map(place), ...mappingOf(schema, oneOf) }),
    };
  }

  function name(title: string, component: object): void {
    const text = JSON.stringify(component);
    const other = known.get(title);
    if (other === undefined) known.set(title, { text, component });
    else if (other.text !== text)
      throw new Error(
        `Two schemas have the title ${title}: ${text} and ${other.text}. Give one another title.`,
      );
  }

  return {
    place: (schema) => placed(schema, schema.definitions ?? {}),
    schemas: () =>
      Object.fromEntries(
        [...known]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([title, { component }]) => [title, component]),
      ),
  };
}

type Definitions = Readonly<Record<string, Schema>>;

function definitionOf(reference: string, definitions: Definitions): Schema {
  const definition = definitions[reference.replace("#/definitions/", "")];
  if (definition === undefined) throw new Error(`Nothing is defined at ${reference}.`);
  return definition;
}

function withoutNull(schema: Schema): Schema {
  const [type = "object", ...more] = [schema.type ?? []].flat().filter((one) => one !== "null");
  return { ...schema, type: more.length === 0 ? type : [type, ...more] };
}

/** JSON Schema requires null among the values of `enum`, too; the serializer only looks at the type. */
function allowNull(schema: Schema): Schema {
  const { type, enum: words } = schema;
  if (words === undefined || !Array.isArray(type) || !type.includes("null")) return schema;
  return { ...schema, enum: [...words.filter((word) => word !== null), null] };
}

/** Which value stands for which component. Ajv takes no mapping, so the schemas have none. */
function mappingOf({ discriminator }: Schema, oneOf: readonly Schema[]): object {
  if (discriminator === undefined) return {};
  const { propertyName } = discriminator;
  const mapping = oneOf.flatMap(({ title, properties }): [string, string][] => {
    const word = properties?.[propertyName]?.const;
    return typeof word === "string" && title !== undefined ? [[word, `#/components/schemas/${title}`]] : [];
  });
  return { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

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
  if (!isObject(example)) return example;
  const changed = Object.entries(differences).map(([name, value]: [string, unknown]) => [
    name,
    isObject(value) ? withDifferences(example[name] ?? {}, value) : value,
  ]);
  return { ...example, ...Object.fromEntries(changed) };
}
