/** The OpenAPI document with every `$ref` replaced by what it refers to, for tests that read schemas. */
type Json = { readonly [name: string]: unknown };

/** `document` as JSON, resolved. It has no circles: the routes' schemas have none. */
export function resolveReferences(document: object): object {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...own } = value as Json;
    if (typeof $ref === "string") {
      const target = resolve(lookUp(document, $ref)) as Json;
      return { ...target, ...(resolve(own) as Json) };
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one)]));
  };
  return resolve(document) as object;
}

/** What `#/components/schemas/Domain` names. */
export function lookUp(document: object, reference: string): object {
  let found: unknown = document;
  for (const part of reference.replace(/^#\//, "").split("/"))
    found = (found as Json | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  if (typeof found !== "object" || found === null) throw new Error(`Nothing is at ${reference}.`);
  return found;
}
