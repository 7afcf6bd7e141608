/** The classes of the SDK, as text: one for each resource, with a method for each operation. */
import { comment, pascalCase } from "./document.ts";
import type { Method, Place } from "./methods.ts";

export function writeClass(resource: string, methods: readonly Method[]): string {
  const members = methods.flatMap((method) => [
    writeCall(method),
    ...(method.canWait && method.list === null ? [writeWatch(method)] : []),
    ...(method.events === null ? [] : [writeStream(method, method.events)]),
  ]);
  return `export class ${pascalCase(resource)} extends Resource {\n${members.join("\n")}}\n`;
}

function writeCall(method: Method): string {
  const { name, verb, body, query, list, result, text } = method;
  const parameters = [
    ...argumentsOf(method),
    ...(body === null ? [] : [`body: ${body}`]),
    ...(isAmongOptions(method) ? [] : queryArgument(method)),
    `options?: ${optionsOf(method)}`,
  ];
  const asked = query === null ? "" : isAmongOptions(method) ? ", query: options?.query" : ", query";
  const call =
    list === null
      ? `this.callAt({ method: "${verb}", path: ${pathOf(method)}${asked}${body === null ? "" : ", body"} }, options)`
      : `this.listAt(${pathOf(method)}, ${query === null ? "{}" : "query"}, { items: "${list.items}", cursor: "${list.cursor}" }, options)`;
  const type = list === null ? `ApiPromise<${result}>` : `Paged<${list.type}, ${result}>`;
  return writeMethod(text, name, parameters, type, call);
}

function writeWatch(method: Method): string {
  const { name, query, result, text } = method;
  const [title = ""] = text.split("\n");
  return writeMethod(
    `${title} As it is now, then whenever it has changed.`,
    name.replace(/^(?:get|list)?/, "watch"),
    [...argumentsOf(method), ...queryArgument(method), "options?: WatchOptions"],
    `AsyncGenerator<${result}, never>`,
    `this.watchAt(${pathOf(method)}, ${query === null ? "undefined" : "query"}, options)`,
  );
}

function writeStream(method: Method, events: NonNullable<Method["events"]>): string {
  const { name, query, text } = method;
  const [title = ""] = text.split("\n");
  const batched = events.batched.map((kind) => JSON.stringify(kind)).join(", ");
  return writeMethod(
    `${title} Live; a connection that breaks is resumed after the last event.`,
    name.replace(/^(?:get|list)?/, "stream"),
    [...argumentsOf(method), ...queryArgument(method), "options?: StreamOptions"],
    `AsyncGenerator<Exclude<${events.type}, t.RefusedEvent>, void>`,
    `this.streamAt(${pathOf(method)}, ${query === null ? "undefined" : "query"}, options${batched === "" ? "" : `, new Set([${batched}])`})`,
  );
}

function writeMethod(
  text: string,
  name: string,
  parameters: readonly string[],
  type: string,
  body: string,
): string {
  return `${comment(text, "  ")}  ${name}(${parameters.join(", ")}): ${type} {\n    return ${body};\n  }\n`;
}

function argumentsOf({ places, ids }: Method): readonly string[] {
  const owners = places.length < 2 ? [] : [`owner: ${places.map(ownerType).join(" | ")}`];
  return [...owners, ...ids.map((id) => `${id}: string`)];
}

/** A write has a query that may be left out among its options: most have none, and one may come later. */
function isAmongOptions({ verb, query }: Method): boolean {
  return verb !== "GET" && query?.isRequired === false;
}

function optionsOf(method: Method): string {
  const { query, options } = method;
  return isAmongOptions(method)
    ? `${options} & { readonly query?: t.${query?.type ?? ""} | undefined }`
    : options;
}

function ownerType({ owner }: Place): string {
  return `{ readonly ${owner}: string }`;
}

function queryArgument({ query }: Method): readonly string[] {
  if (query === null) return [];
  return [`query: t.${query.type}${query.isRequired ? "" : " = {}"}`];
}

/** The address, as text of a program: of several, that of the given owner. */
function pathOf({ places }: Pick<Method, "places">): string {
  const [{ path, owner } = { path: "", owner: "" }, ...others] = places;
  const text = `path\`${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `\${${id === owner ? `owner.${id}` : id}}`)}\``;
  if (others.length === 0) return text;
  return `"${owner}" in owner ? ${text} : ${pathOf({ places: others })}`;
}
