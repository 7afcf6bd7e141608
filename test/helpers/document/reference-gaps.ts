/** Finds what the reference does not say: names of schemas, descriptions, examples. */
import { lookUp } from "./api-document.ts";

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};
type MediaType = { readonly schema: Schema; readonly example?: unknown };
type Content = Readonly<Record<string, MediaType>>;
export type Operation = {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly example?: unknown;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
};
type Response = { readonly $ref?: string; readonly description?: string; readonly content?: Content };

/** The OpenAPI document, as far as it is looked at here. */
export type Reference = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
};

/** Every operation, with `METHOD path`. */
export function operationsOf({ paths }: Reference): readonly (readonly [string, Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
}

/** What a schema lacks, and whatever it holds or refers to. */
function gapsOfSchema(document: Reference, schema: Schema, at: string, isNamed: boolean): readonly string[] {
  const { $ref, properties, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  if ($ref !== undefined) {
    const component = lookUp(document, $ref) as Schema;
    const name = $ref.split("/").at(-1) ?? "";
    const own = component.description === undefined ? [`${name} has no description`] : [];
    return [...own, ...gapsOfSchema(document, component, name, true)];
  }
  const isObject = properties !== undefined;
  const isChoice = (schema.enum ?? []).length > 1;
  return [
    ...(!isNamed && isObject ? [`${at} is an object without a title`] : []),
    ...(!isNamed && isChoice ? [`${at} is a choice of words without a title`] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${at}.${name} has no description`]),
      ...gapsOfSchema(document, property, `${at}.${name}`, false),
    ]),
    ...(typeof additionalProperties === "object"
      ? gapsOfSchema(document, additionalProperties, `${at}.*`, false)
      : []),
    ...(items === undefined ? [] : gapsOfSchema(document, items, `${at}[]`, false)),
    ...[...anyOf, ...oneOf].flatMap((one) => gapsOfSchema(document, one, at, false)),
  ];
}

/** By its own words, or by those of the component that it is. */
function isDescribed({ description, $ref, anyOf = [] }: Schema): boolean {
  return description !== undefined || $ref !== undefined || anyOf.some((one) => one.$ref !== undefined);
}

function gapsOfContent(document: Reference, content: Content, at: string): readonly string[] {
  return Object.entries(content).flatMap(([type, { schema, example }]) => {
    const isText = schema.type === "string";
    return [
      ...(schema.$ref === undefined && !isText ? [`${at} (${type}) is a schema without a title`] : []),
      ...(example === undefined ? [`${at} (${type}) has no example`] : []),
      ...gapsOfSchema(document, schema, at, true),
    ];
  });
}

/** Everything that an operation lacks of names, descriptions and examples, each once. */
export function gapsOf(document: Reference, operation: Operation): readonly string[] {
  const { parameters, requestBody, responses } = operation;
  const gaps = [
    ...(operation.summary === undefined ? ["it has no summary"] : []),
    ...(operation.description === undefined ? ["it has no description"] : []),
    ...parameters.flatMap(({ name, in: where, required, description, example, schema }) => [
      ...(description === undefined ? [`${where} parameter ${name} has no description`] : []),
      ...(required && example === undefined ? [`${where} parameter ${name} has no example`] : []),
      ...gapsOfSchema(document, schema, `${where} parameter ${name}`, false),
    ]),
    ...(requestBody === undefined ? [] : gapsOfContent(document, requestBody.content, "its body")),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      gapsOfContent(document, content, `its answer ${status}`),
    ),
  ];
  return [...new Set(gaps)];
}
