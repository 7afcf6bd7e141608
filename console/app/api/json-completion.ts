/** Names and values that a JSON Schema allows at the caret. Pure. */
import type { CaretPlace, Frame } from "./json-scan.ts";

/** The parts of draft 7 that the schema of `slipway.json` uses. */
export type JsonSchema = {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
};

export type Completion = {
  readonly label: string;
  readonly detail: string;
  readonly insert: string;
  /** Where the caret is after it, from the end of `insert`. */
  readonly caretBack: number;
};

const SHOWN_MAX = 30;

export function completeJson(root: JsonSchema, place: CaretPlace): readonly Completion[] {
  const inFrame = schemasOf(root, place.frame, place.role === "name" ? null : place.step);
  const found = place.role === "name" ? namesOf(root, inFrame, place) : valuesOf(root, inFrame, place);
  const typed = place.typed.toLowerCase();
  return found
    .filter(({ label }) => label.toLowerCase().includes(typed))
    .toSorted((one, other) => rankOf(one, typed) - rankOf(other, typed))
    .slice(0, SHOWN_MAX);
}

function rankOf({ label }: Completion, typed: string): number {
  return label.toLowerCase().startsWith(typed) ? 0 : 1;
}

function namesOf(root: JsonSchema, schemas: readonly JsonSchema[], place: CaretPlace): readonly Completion[] {
  const { frame, typed } = place;
  const found = new Map<string, { readonly schema: JsonSchema; readonly isRequired: boolean }>();
  for (const { properties = {}, required = [] } of schemas)
    for (const [name, schema] of Object.entries(properties))
      if (frame?.names.has(name) !== true || name === typed)
        if (!found.has(name)) found.set(name, { schema, isRequired: required.includes(name) });
  return [...found]
    .toSorted(([, one], [, other]) => Number(other.isRequired) - Number(one.isRequired))
    .map(([name, { schema, isRequired }]) => {
      const [value, caretBack] = startOf(root, schema);
      return {
        label: name,
        detail: `${isRequired ? "Required. " : ""}${describe(root, schema)}`,
        insert: `${JSON.stringify(name)}: ${value}`,
        caretBack,
      };
    });
}

/** How a value begins, and how far before its end the caret goes. */
function startOf(root: JsonSchema, schema: JsonSchema): readonly [string, number] {
  const [first = {}] = alternativesOf(root, schema);
  if (first.const !== undefined) return [JSON.stringify(first.const), 0];
  if (first.type === "object" || first.properties !== undefined) return ["{}", 1];
  if (first.type === "array") return ["[]", 1];
  if (first.type === "string" || first.enum !== undefined) return ['""', 1];
  const example = first.default ?? first.examples?.[0];
  return [example === undefined ? "" : JSON.stringify(example), 0];
}

function valuesOf(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  place: CaretPlace,
): readonly Completion[] {
  const isList = place.frame?.kind === "list";
  const found = new Map<string, string>();
  for (const schema of schemas.flatMap((one) => childrenOf(root, one, place.step, isList)))
    for (const value of wordsOf(schema)) {
      const text = JSON.stringify(value);
      if (!found.has(text)) found.set(text, schema.const === undefined ? "" : (schema.description ?? ""));
    }
  return [...found].map(([insert, detail]) => ({
    label: insert.replace(/^"(.*)"$/, "$1"),
    detail,
    insert,
    caretBack: 0,
  }));
}

function wordsOf({
  const: only,
  enum: words,
  type,
  default: usual,
  examples = [],
}: JsonSchema): readonly unknown[] {
  if (only !== undefined) return [only];
  if (words !== undefined) return words;
  if (type === "boolean") return [true, false];
  return [usual, ...examples].filter((value) => ["string", "number"].includes(typeof value));
}

/** The schemas that a part of the text may follow. @param asked a name whose own value does not decide */
function schemasOf(root: JsonSchema, frame: Frame | null, asked: string | null): readonly JsonSchema[] {
  if (frame === null) return [{ properties: {}, items: root, additionalProperties: root }];
  const around = frame.parent === null ? alternativesOf(root, root) : schemasOf(root, frame.parent, null);
  const schemas =
    frame.parent === null
      ? around
      : around.flatMap((one) => childrenOf(root, one, frame.step, frame.parent?.kind === "list"));
  return schemas.filter(({ properties = {} }) =>
    Object.entries(properties).every(([name, { const: only }]) => {
      const written = frame.texts.get(name);
      return only === undefined || written === undefined || name === asked || written === only;
    }),
  );
}

function childrenOf(
  root: JsonSchema,
  schema: JsonSchema,
  step: string,
  isList: boolean,
): readonly JsonSchema[] {
  const { properties = {}, additionalProperties, items } = schema;
  const child = isList
    ? items
    : (Object.entries(properties).find(([name]) => name === step)?.[1] ??
      (typeof additionalProperties === "object" ? additionalProperties : undefined));
  return child === undefined ? [] : alternativesOf(root, child);
}

/** What a schema that refers to others, or allows several, comes down to. */
function alternativesOf(root: JsonSchema, schema: JsonSchema): readonly JsonSchema[] {
  const name = /^#\/definitions\/(\w+)$/.exec(schema.$ref ?? "")?.[1];
  if (name !== undefined) {
    const definition = root.definitions?.[name];
    return definition === undefined ? [] : alternativesOf(root, definition);
  }
  const several = schema.oneOf ?? schema.anyOf;
  return several === undefined ? [schema] : several.flatMap((one) => alternativesOf(root, one));
}

function describe(root: JsonSchema, schema: JsonSchema): string {
  return (schema.description ?? alternativesOf(root, schema)[0]?.description ?? "").replaceAll("`", "");
}
