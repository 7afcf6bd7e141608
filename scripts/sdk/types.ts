import { comment, nameOf, type Schema } from "./document.ts";

/** The declaration of a named type. @param prefix before the names of other types */
export function declareType(name: string, schema: Schema): string {
  return `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`;
}

/** A schema as a type of TypeScript. */
export function typeOf(schema: Schema, prefix = "", indent = ""): string {
  const inner = (one: Schema): string => typeOf(one, prefix, indent);
  if (schema.$ref !== undefined) return `${prefix}${nameOf(schema.$ref)}`;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((word) => JSON.stringify(word)));
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return union(choices.map(inner));
  return union([schema.type ?? "unknown"].flat().map((type) => ofType(type, schema, prefix, indent)));
}

function ofType(type: string, schema: Schema, prefix: string, indent: string): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {}, prefix, indent)}>`;
    case "object":
      return objectType(schema, prefix, indent);
    default:
      return "unknown";
  }
}

function objectType(schema: Schema, prefix: string, indent: string): string {
  const { properties, additionalProperties, required = [] } = schema;
  if (properties === undefined || Object.keys(properties).length === 0) {
    if (additionalProperties === false) return "Readonly<Record<string, never>>";
    const value =
      typeof additionalProperties === "object" ? typeOf(additionalProperties, prefix, indent) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
  const deeper = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const value = typeOf(property, prefix, deeper);
    return `${comment(property.description, deeper)}${deeper}readonly ${key}${isRequired ? "" : "?"}: ${value}${isRequired ? "" : " | undefined"};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}
