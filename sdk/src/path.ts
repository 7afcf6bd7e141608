import { ArgumentError } from "./errors.ts";

/**
 * Builds a path with ids, as a tagged template: path`/v1/domains/${id}`.
 * @throws ArgumentError for an id that would lead elsewhere: an empty one, `.` or `..` (URL Standard, path state)
 */
export function path(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  return texts.reduce((made, text, index) => `${made}${segment(ids[index - 1])}${text}`);
}

function segment(id: string | undefined): string {
  if (typeof id !== "string" || id === "" || id === "." || id === "..")
    throw new ArgumentError(
      `${JSON.stringify(id) ?? "undefined"} is not an id. Give the id of the resource.`,
    );
  return encodeURIComponent(id);
}

/** The query of an address, with its question mark; empty if nothing is asked for. Lists are joined by commas. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === "" ? "" : `?${text}`;
}
