/** The tables of docs/reference/slipway-json.md, made from the schema that configurations are checked with. */
import { CONFIGURATION_SCHEMA } from "../src/features/configuration/configuration-schema.ts";

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
};

const BEGIN = "<!-- fields: written by npm run docs:slipway-json -->";
const END = "<!-- end of fields -->";

/** The page with its tables as the schema has them now. */
export function renderConfigurationPage(page: string): string {
  const [head, rest] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (head === -1 || rest === -1) throw new Error(`The page has no ${BEGIN} … ${END}.`);
  return `${page.slice(0, head)}${BEGIN}\n\n${renderTables()}\n${page.slice(rest)}`;
}

function renderTables(): string {
  const root = CONFIGURATION_SCHEMA as unknown as Schema;
  const environment = resolve(root.properties?.["environments"]?.items);
  const services = environment.properties?.["services"]?.items?.oneOf ?? [];
  const parts = [
    table("The file", "", root),
    table("An environment", "`environments[]`: ", environment),
    table("Its source", "`environments[].source`: ", environment.properties?.["source"] ?? {}),
    ...services.map((service) => {
      const type = service.properties?.["type"]?.const ?? "";
      return table(
        `${/^[aeiou]/.test(type) ? "An" : "A"} \`${type}\` service`,
        "`environments[].services[]`: ",
        service,
      );
    }),
  ];
  return parts.join("\n");
}

function table(title: string, place: string, schema: Schema): string {
  const rows = rowsOf(schema);
  const about = schema.description ?? "";
  return `### ${title}\n\n${place}${about}\n\n| field | | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** A row for each field, and below it for the fields of its object. The source has a table of its own. */
function rowsOf(schema: Schema, path = ""): readonly string[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const kind = required.has(name) ? "required" : defaultOf(field);
    const row = `| \`${path}${name}\` | ${kind} | ${describeField(field)} |`;
    if (name === "source") return [row];
    const { additionalProperties: byId } = field;
    return [
      row,
      ...rowsOf(field, `${path}${name}.`),
      ...(typeof byId === "object" ? rowsOf(byId, `${path}${name}.<id>.`) : []),
    ];
  });
}

function defaultOf(field: Schema): string {
  return field.default === undefined ? "" : `default \`${JSON.stringify(field.default)}\``;
}

function describeField(given: Schema): string {
  if (given.$ref === "#/definitions/variables") return "By name: see [variables](#variables).";
  if (given.const !== undefined) return `\`"${given.const}"\``;
  const field = resolve(given);
  const words =
    field.enum === undefined ? "" : ` One of ${field.enum.map((one) => `\`${String(one)}\``).join(", ")}.`;
  const isRange = field.minimum !== undefined && field.maximum !== undefined;
  const range = isRange ? ` From ${field.minimum} to ${field.maximum}.` : "";
  return `${(given.description ?? field.description ?? "").replaceAll("|", "\\|")}${words}${range}`;
}

function resolve(schema: Schema = {}): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace("#/definitions/", "");
  const { definitions } = CONFIGURATION_SCHEMA as unknown as { definitions: Record<string, Schema> };
  return definitions[name] ?? {};
}
