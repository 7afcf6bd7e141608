/** The methods of the SDK, read from the operations of the document. */
import { type Document, type Operation, pascalCase, resolve, type Schema } from "./document.ts";
import { typeOf } from "./types.ts";

/** Where an operation is. */
export type Place = { readonly path: string; readonly owner: string };

export type Method = {
  readonly resource: string;
  readonly name: string;
  readonly verb: string;
  readonly text: string;
  /** Several if the first argument says the owner. */
  readonly places: readonly Place[];
  /** The ids that the method takes, besides an owner's. */
  readonly ids: readonly string[];
  readonly body: string | null;
  readonly query: {
    readonly type: string;
    readonly schema: Schema;
    readonly isRequired: boolean;
  } | null;
  readonly result: string;
  /** Of a list: the field with the items, their type, and the parameter that a cursor goes into. */
  readonly list: { readonly items: string; readonly type: string; readonly cursor: string } | null;
  readonly options: "CallOptions" | "WriteOptions" | "ChangeOptions";
  /** Whether the server holds a read until something changes. */
  readonly canWait: boolean;
  /** The type of its events, and the kinds of which several have one id. */
  readonly events: { readonly type: string; readonly batched: readonly string[] } | null;
};

/** @throws Error for operations that share a name and differ in more than their owner */
export function readMethods(document: Document): readonly Method[] {
  const methods = new Map<string, Method>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [verb, operation] of Object.entries(operations)) {
      const { "x-sdk": name } = operation;
      if (name === undefined || name === null) continue;
      const method = readMethod(document, verb.toUpperCase(), path, operation, name);
      const other = methods.get(name);
      methods.set(name, other === undefined ? method : join(name, other, method));
    }
  return [...methods.values()].map((method) => (method.places.length > 1 ? method : withOwnId(method)));
}

function readMethod(document: Document, verb: string, path: string, of: Operation, sdk: string): Method {
  const [resource = "", name = ""] = sdk.split(".");
  const [owner = "", ...ids] = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => id);
  const parametersIn = (where: string) => of.parameters.filter((one) => one.in === where);
  const headers = new Set(parametersIn("header").map((one) => one.name));
  const query = parametersIn("query");
  const successes = Object.entries(of.responses).filter(([status]) => status.startsWith("2"));
  const answer = of.responses["200"]?.content;
  const schemas = successes.map(([, { content }]) => content?.["application/json"]?.schema);
  const body = of.requestBody?.content["application/json"]?.schema;
  const events = answer?.["text/event-stream"]?.schema;
  return {
    resource,
    name,
    verb,
    text: [`${of.summary}.`, of.description].filter(Boolean).join("\n\n"),
    places: [{ path, owner }],
    ids,
    body: body === undefined ? null : typeOf(body, "t."),
    query:
      query.length === 0
        ? null
        : {
            type: `${pascalCase(resource)}${pascalCase(name)}Query`,
            schema: {
              description: `The parameters of \`${sdk}\`.`,
              type: "object",
              properties: Object.fromEntries(
                query.map((one) => [one.name, { ...one.schema, ...describedBy(one.description) }]),
              ),
              required: query.filter(({ required }) => required).map((one) => one.name),
            },
            isRequired: query.some(({ required }) => required),
          },
    result: schemas.map((schema) => (schema === undefined ? "undefined" : typeOf(schema, "t."))).join(" | "),
    list: listOf(
      document,
      answer?.["application/json"]?.schema,
      query.map((one) => one.name),
    ),
    options: headers.has("If-Match") ? "ChangeOptions" : verb === "GET" ? "CallOptions" : "WriteOptions",
    canWait: headers.has("Prefer"),
    events:
      events === undefined ? null : { type: typeOf(events, "t."), batched: batchedOf(document, events) },
  };
}

function describedBy(description: string | undefined): Schema {
  return description === undefined ? {} : { description };
}

/** The ids of an operation that has its name for itself. */
function withOwnId(method: Method): Method {
  const [{ owner, path } = { owner: "", path: "" }] = method.places;
  return { ...method, places: [{ path, owner: "" }], ids: owner === "" ? [] : [owner, ...method.ids] };
}

function join(name: string, one: Method, other: Method): Method {
  const same = (method: Method): string => JSON.stringify({ ...method, places: [], text: "" });
  if (same(one) !== same(other))
    throw new Error(`Two operations are ${name}, and differ in more than their owner. Name one otherwise.`);
  return { ...one, places: [...one.places, ...other.places] };
}

/** A page has one list, and a cursor that ends: it becomes null, or `hasMore` false. */
function listOf(document: Document, schema: Schema | undefined, query: readonly string[]): Method["list"] {
  const { properties = {} } = resolve(document, schema ?? {});
  const { nextCursor, hasMore } = properties;
  const [items, ...others] = Object.entries(properties).filter(([, { type }]) => type === "array");
  const isNullable = [nextCursor?.type].flat().includes("null");
  if (nextCursor === undefined || items === undefined || others.length > 0) return null;
  if (!isNullable && hasMore === undefined) return null;
  const cursor = query.includes("cursor") ? "cursor" : "after";
  return { items: items[0], type: typeOf(items[1].items ?? {}, "t."), cursor };
}

/** Kinds of events whose id may be left out: only the last one of several has it. */
function batchedOf(document: Document, events: Schema): readonly string[] {
  const { oneOf = [] } = resolve(document, events);
  return oneOf.flatMap((choice) => {
    const { properties = {}, required = [] } = resolve(document, choice);
    const kind = properties["event"]?.const;
    return typeof kind === "string" && "id" in properties && !required.includes("id") ? [kind] : [];
  });
}
