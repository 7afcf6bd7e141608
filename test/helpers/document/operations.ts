/** What the OpenAPI document says about requests and answers, as far as tests of every route need it. */
import { resolveReferences } from "./api-document.ts";

/** Where in a request a text of the client's choice goes. */
export type Place = {
  readonly in: "path" | "query" | "body";
  /** The parameter's name; in a body a JSON Pointer, `*` for any member or item. */
  readonly name: string;
};

export type Operation = {
  /** `METHOD path` */
  readonly route: string;
  readonly needsKey: boolean;
  /** Whether it answers 200 with a page of a list. */
  readonly isList: boolean;
  readonly texts: readonly Place[];
};

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
};

type Described = {
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema } | undefined>>;
  };
  readonly responses?: {
    readonly 200?: { readonly content?: Readonly<Record<string, { readonly schema: Schema } | undefined>> };
  };
};

/** Every documented operation of a service. */
export async function readOperations(url: string): Promise<readonly Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as object;
  const { paths } = resolveReferences(document) as {
    paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      route: `${method.toUpperCase()} ${path}`,
      needsKey: described.security?.length !== 0,
      isList:
        described.responses?.[200]?.content?.["application/json"]?.schema.properties?.["nextCursor"] !==
        undefined,
      texts: textsOf(described),
    })),
  );
}

function textsOf({ parameters = [], requestBody }: Described): readonly Place[] {
  const ofParameters = parameters.flatMap(({ name, in: where, schema }): readonly Place[] =>
    (where === "path" || where === "query") && isText(schema) ? [{ in: where, name }] : [],
  );
  const body = requestBody?.content["application/json"]?.schema;
  const ofBody = body === undefined ? [] : pointersToTexts(body, "");
  return [...ofParameters, ...ofBody.map((name) => ({ in: "body" as const, name }))];
}

function pointersToTexts(schema: Schema, at: string): readonly string[] {
  if (isText(schema)) return [at];
  const { type, properties, additionalProperties, items } = schema;
  if (items !== undefined) return pointersToTexts(items, `${at}/*`);
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, field]) => pointersToTexts(field, `${at}/${name}`));
  if (typeof additionalProperties === "object") return pointersToTexts(additionalProperties, `${at}/*`);
  if (schema.enum !== undefined || type === "boolean" || type === "integer" || type === "number") return [];
  // An object of any form, or a kind of schema that is not used so far: texts may be in it.
  return [at];
}

function isText(schema: Schema): boolean {
  return schema.enum === undefined && [schema.type].flat().includes("string");
}
