/** What `npm run sdk` writes into `sdk/src/generated`, from the OpenAPI document. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { EVENT_CATALOGUE } from "../../src/start/event-catalogue.ts";
import { writeClass } from "./classes.ts";
import { type Document, pascalCase, type Schema } from "./document.ts";
import { readMethods } from "./methods.ts";
import { declareType } from "./types.ts";

const SDK = path.join(import.meta.dirname, "../../sdk/src");
const HEADER = "// Made by `npm run sdk` from the OpenAPI document. Do not change it by hand.\n";

/** The texts, by file. */
export async function generateSdk(document: Document): Promise<ReadonlyMap<string, string>> {
  const methods = readMethods(document);
  const resources = [...new Set(methods.map(({ resource }) => resource))].sort();
  const classes = resources.map((resource) =>
    writeClass(
      resource,
      methods.filter((method) => method.resource === resource),
    ),
  );
  const queries = methods.flatMap(({ query }) =>
    query === null ? [] : [declareType(query.type, query.schema)],
  );
  const components = Object.entries(document.components.schemas).map(([name, schema]) =>
    declareType(name === EVENT ? `${EVENT}Envelope` : name, schema),
  );
  return new Map([
    ["types.ts", `${HEADER}${[...components, ...queries, declareEvents()].join("\n")}`],
    ["event-types.ts", writeEventTypes()],
    ["resources.ts", writeResources(classes)],
    ["client.ts", writeClient(resources, await readExtended())],
  ]);
}

/** The component of an event, whose `data` depends on its `type`. */
const EVENT = "Event";

function declareEvents(): string {
  const schema: Schema = {
    description: "The fields of `data`, by type of event.",
    type: "object",
    properties: Object.fromEntries(
      EVENT_CATALOGUE.all.map(({ type, description, data }) => [type, { ...(data as Schema), description }]),
    ),
    required: EVENT_CATALOGUE.all.map(({ type }) => type),
  };
  return `${declareType("EventData", schema)}
/** Something that happened. A server that is newer than this package may send further types. */
export type ${EVENT} = {
  [T in keyof EventData]: Omit<${EVENT}Envelope, "type" | "data"> & {
    readonly type: T;
    readonly data: EventData[T];
  };
}[keyof EventData];
`;
}

/** What clients offer as choices, without loading the types of all data. */
function writeEventTypes(): string {
  const rows = EVENT_CATALOGUE.all.map(
    ({ type, description }) => `  ${JSON.stringify(type)}: ${JSON.stringify(description)},\n`,
  );
  return `${HEADER}import type { EventData } from "./types.ts";

/** Each type of event and when it is sent, ordered by subject. */
export const EVENT_TYPES: Readonly<Record<keyof EventData, string>> = {
${rows.join("")}};
`;
}

/** Faults of the SDK: operations without a method, and files that do not match the API. */
export async function findSdkFaults(document: Document): Promise<readonly string[]> {
  const faults = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([verb, { "x-sdk": name }]) =>
      name === null || /^[a-z][A-Za-z]*[.][a-z][A-Za-z]*$/.test(name ?? "")
        ? []
        : [
            `${verb.toUpperCase()} ${path} has no method of the SDK. Give its route \`sdk\`, or null to leave it out.`,
          ],
    ),
  );
  for (const [file, text] of await generateSdk(document)) {
    const present = await readFile(path.join(SDK, "generated", file), "utf8").catch(() => "");
    if (present !== text)
      faults.push(`sdk/src/generated/${file} does not say what the API says. Run npm run sdk.`);
  }
  return faults;
}

/** Names of classes to which `sdk/src/resources.ts` adds methods. */
async function readExtended(): Promise<ReadonlySet<string>> {
  const text = await readFile(path.join(SDK, "resources.ts"), "utf8");
  return new Set([...text.matchAll(/^export class (\w+) extends/gm)].map(([, name = ""]) => name));
}

function writeResources(classes: readonly string[]): string {
  const text = classes.join("\n");
  const used = (names: readonly string[]): string =>
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(", ");
  return `${HEADER}import type { ApiPromise } from "../api-promise.ts";
import type { StreamOptions } from "../event-stream.ts";
import type { Paged } from "../paged.ts";
import { path } from "../path.ts";
import { Resource } from "../resource.ts";
import type { ${used(["CallOptions", "ChangeOptions", "WriteOptions"])} } from "../transport.ts";
import type { WatchOptions } from "../watch.ts";
import type * as t from "./types.ts";

${text}`;
}

function writeClient(resources: readonly string[], extended: ReadonlySet<string>): string {
  const classes = resources.map(pascalCase);
  const namesOf = (isExtended: boolean): string =>
    classes.filter((name) => extended.has(name) === isExtended).join(", ");
  return `${HEADER}import { ${namesOf(true)} } from "../resources.ts";
import type { Transport } from "../transport.ts";
import { ${namesOf(false)} } from "./resources.ts";

/** What a client has for each resource. */
export abstract class Resources {
${resources.map((resource) => `  readonly ${resource}: ${pascalCase(resource)};\n`).join("")}
  constructor(transport: Transport) {
${resources.map((resource) => `    this.${resource} = new ${pascalCase(resource)}(transport);\n`).join("")}  }
}
`;
}
