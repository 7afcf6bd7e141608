/** What the SDK's generator makes of operations, and what `npm run check` refuses. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeClass } from "../../scripts/sdk/classes.ts";
import type { Document, Operation, Schema } from "../../scripts/sdk/document.ts";
import { findSdkFaults } from "../../scripts/sdk/generate.ts";
import { readMethods } from "../../scripts/sdk/methods.ts";
import { declareType } from "../../scripts/sdk/types.ts";
import { makeApiDocument } from "../../src/start/api-document.ts";

const TEXT: Schema = { type: "string" };
const LEAF: Schema = { $ref: "#/components/schemas/Leaf" };
const LEAVES: Schema = {
  type: "object",
  properties: { leaves: { type: "array", items: LEAF }, nextCursor: { type: ["string", "null"] } },
};

function documentOf(paths: Readonly<Record<string, Readonly<Record<string, object>>>>): Document {
  return { paths, components: { schemas: { Leaf: { type: "object" }, Leaves: LEAVES } } } as Document;
}

function operation(sdk: string, answer: Schema, more: Partial<Operation> = {}): Operation {
  return {
    operationId: sdk,
    "x-sdk": sdk,
    summary: "Do it",
    parameters: [],
    responses: { "200": { content: { "application/json": { schema: answer } } } },
    ...more,
  };
}

function classOf(document: Document): string {
  return writeClass("trees", readMethods(document));
}

describe("the generator of the SDK", () => {
  it("gives an operation's ids, body, query and options a place", () => {
    const query = { in: "query", name: "isDry", required: false, schema: { type: "boolean" } } as const;
    const match = { in: "header", name: "If-Match", required: false, schema: TEXT } as const;
    const prefer = { in: "header", name: "Prefer", required: false, schema: TEXT } as const;
    const requestBody = { content: { "application/json": { schema: LEAF } } };
    const text = classOf(
      documentOf({
        "/v1/trees/{treeId}/leaves/{leafId}": {
          get: operation("trees.getLeaf", LEAF, { parameters: [prefer] }),
          patch: operation("trees.updateLeaf", LEAF, { parameters: [match, query], requestBody }),
        },
      }),
    );
    assert.match(
      text,
      /getLeaf\(treeId: string, leafId: string, options\?: CallOptions\): ApiPromise<t.Leaf>/,
    );
    assert.match(text, /watchLeaf\(treeId: string, leafId: string, options\?: WatchOptions\)/);
    assert.match(
      text,
      /updateLeaf\(treeId: string, leafId: string, body: t.Leaf, options\?: ChangeOptions & \{ readonly query\?: t.TreesUpdateLeafQuery/,
    );
    assert.match(
      text,
      /path`\/v1\/trees\/\$\{treeId\}\/leaves\/\$\{leafId\}`, query: options\?\.query, body/,
    );
    const needed = operation("trees.fell", LEAF, { parameters: [{ ...query, required: true }] });
    assert.match(
      classOf(documentOf({ "/v1/trees": { delete: needed } })),
      /fell\(query: t.TreesFellQuery, options\?: WriteOptions\)/,
    );
  });

  it("takes operations with one name as one, whose first argument is the owner", () => {
    const list = operation(
      "trees.list",
      { $ref: "#/components/schemas/Leaves" },
      {
        parameters: [{ in: "query", name: "cursor", required: false, schema: TEXT }],
      },
    );
    const paths = { "/v1/a/{aId}/trees": { get: list }, "/v1/b/{bId}/trees": { get: list } };
    const text = classOf(documentOf(paths));
    assert.match(
      text,
      /list\(owner: \{ readonly aId: string \} \| \{ readonly bId: string \}, query: t.TreesListQuery = \{\}/,
    );
    assert.match(text, /Paged<t.Leaf, t.Leaves>/);
    assert.match(text, /"aId" in owner \? path`\/v1\/a\/\$\{owner.aId\}\/trees` : path`\/v1\/b\//);
    const other = { ...list, parameters: [] };
    assert.throws(
      () => readMethods(documentOf({ ...paths, "/v1/c/{cId}/trees": { get: other } })),
      /Two operations are trees.list, and differ/,
    );
  });

  it("writes every kind of schema", () => {
    const schema: Schema = {
      description: "A tree */ of all.",
      type: "object",
      required: ["a", "b", "c"],
      properties: {
        a: { enum: ["x", null] },
        b: { anyOf: [LEAF, { type: "null" }] },
        c: { const: 1 },
        "d-e": { type: ["integer", "null"], description: "Its size." },
        f: { type: "array", items: { type: "object", additionalProperties: TEXT } },
        g: {},
      },
    };
    assert.equal(
      declareType("Tree", schema),
      [
        "/** A tree * / of all. */",
        "export type Tree = {",
        '  readonly a: "x" | null;',
        "  readonly b: Leaf | null;",
        "  readonly c: 1;",
        "  /** Its size. */",
        '  readonly "d-e"?: number | null | undefined;',
        "  readonly f?: ReadonlyArray<Readonly<Record<string, string>>> | undefined;",
        "  readonly g?: unknown | undefined;",
        "};",
        "",
      ].join("\n"),
    );
  });

  it("is refused by the check for an operation without a method, and for an API that changed", async () => {
    const document = (await makeApiDocument("https://slipway.test")) as unknown as Document;
    assert.deepEqual(await findSdkFaults(document), []);
    const [path = "", operations = {}] = Object.entries(document.paths)[0] ?? [];
    const unnamed = Object.fromEntries(
      Object.entries(operations).map(([verb, operation]) => {
        const { "x-sdk": _name, ...rest } = operation;
        return [verb, rest];
      }),
    );
    const faults = await findSdkFaults({ ...document, paths: { ...document.paths, [path]: unnamed } });
    assert.match(faults[0] ?? "", /has no method of the SDK/);
    assert.match(faults.at(-1) ?? "", /sdk\/src\/generated\/\w+[.]ts does not say .* Run npm run sdk/);
    const { Domain: _domain, ...schemas } = document.components.schemas;
    assert.deepEqual(await findSdkFaults({ ...document, components: { schemas } }), [
      "sdk/src/generated/types.ts does not say what the API says. Run npm run sdk.",
    ]);
  });
});
