import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createComponents, exampleOf, type Schema, withDifferences } from "./openapi-components.ts";
import { At, Nullable, ShownAs, Words } from "../schemas.ts";
import { Type } from "typebox";

const Colour = Words(["red", "green"], { title: "Colour", description: "Its colour." });
const Leaf = Type.Object(
  { colour: Colour, size: Type.Integer({ description: "In mm.", examples: [7] }) },
  { title: "Leaf", description: "A leaf." },
);
const COLOUR = { $ref: "#/components/schemas/Colour" };
const LEAF = { $ref: "#/components/schemas/Leaf" };

function place(schema: object): { placed: object; schemas: Readonly<Record<string, object>> } {
  const components = createComponents();
  const placed = components.place(schema);
  return { placed, schemas: components.schemas() };
}

describe("components", () => {
  it("include every schema with a title, even nested ones", () => {
    const { placed, schemas } = place(Type.Array(Leaf, { description: "Its leaves." }));
    assert.deepEqual(placed, { type: "array", description: "Its leaves.", items: LEAF });
    assert.deepEqual(schemas, {
      Colour: { type: "string", enum: ["red", "green"], description: "Its colour." },
      Leaf: {
        type: "object",
        description: "A leaf.",
        required: ["colour", "size"],
        properties: { colour: COLOUR, size: { type: "integer", description: "In mm.", examples: [7] } },
      },
    });
  });

  it("are not nullable themselves if one place is", () => {
    const { placed, schemas } = place(At(Nullable(Leaf), "The first leaf.", null));
    assert.deepEqual(placed, {
      anyOf: [LEAF, { type: "null" }],
      description: "The first leaf.",
      examples: [null],
    });
    assert.equal((schemas["Leaf"] as Schema).type, "object");
    assert.deepEqual(schemas, place(Leaf).schemas);
  });

  it("are the same under one title, or refused", () => {
    const components = createComponents();
    components.place(Leaf as Schema);
    components.place(Nullable(Leaf) as Schema);
    assert.throws(
      () => components.place({ title: "Leaf", type: "string" }),
      /Two schemas have the title Leaf/,
    );
  });

  it("show what a schema is shown as", () => {
    const { placed, schemas } = place(ShownAs(At(Type.Object({}), "Any leaf."), Leaf as Schema));
    assert.deepEqual(placed, { ...LEAF, description: "Any leaf." });
    assert.deepEqual(Object.keys(schemas), ["Colour", "Leaf"]);
  });

  it("follow the definitions of JSON Schema draft 7, with the discriminator's mapping", () => {
    const choice = (word: string): Schema => ({
      title: word.toUpperCase(),
      type: "object",
      properties: { kind: { const: word }, leaf: { $ref: "#/definitions/leaf" } },
    });
    const { placed, schemas } = place({
      $schema: "http://json-schema.org/draft-07/schema#",
      discriminator: { propertyName: "kind" },
      oneOf: [choice("a"), choice("b")],
      definitions: { leaf: Leaf },
    });
    const [A, B] = [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }];
    assert.deepEqual(placed, {
      discriminator: { propertyName: "kind", mapping: { a: A.$ref, b: B.$ref } },
      oneOf: [A, B],
    });
    assert.deepEqual((schemas["A"] as Schema).properties?.["leaf"], LEAF);
    assert.throws(() => place({ $ref: "#/definitions/twig" }), /Nothing is defined at #\/definitions\/twig/);
  });

  it("allow null in an unnamed choice of values", () => {
    const { placed } = place({ type: ["string", "null"], enum: ["one"] });
    assert.deepEqual(placed, { type: ["string", "null"], enum: ["one", null] });
  });
});

describe("an example", () => {
  it("may differ in some members, at any depth", () => {
    const example = { a: 1, b: { c: 2, d: 3 }, e: null };
    assert.deepEqual(withDifferences(example, { b: { c: null }, e: { f: 4 } }), {
      a: 1,
      b: { c: null, d: 3 },
      e: { f: 4 },
    });
    assert.deepEqual(withDifferences(undefined, { a: 1 }), undefined);
  });

  const CASES: readonly [string, object, unknown][] = [
    ["is put together from its fields'", Type.Array(Leaf), [{ colour: "red", size: 7 }]],
    [
      "is what one place says before what the schema says",
      At(Leaf, "", { colour: "green", size: 1 }),
      { colour: "green", size: 1 },
    ],
    ["is the schema's own before its fields'", { examples: [1, 2], properties: { a: { const: 3 } } }, 1],
    ["is the default", Type.Integer({ default: 25 }), 25],
    ["is the constant", Type.Literal("ok"), "ok"],
    ["is the first choice's", { oneOf: [Leaf, Colour] }, { colour: "red", size: 7 }],
    ["is null where nothing else is known", { type: ["string", "null"] }, null],
    ["leaves out what has none", Type.Object({ a: Type.String(), b: Colour }), { b: "red" }],
    ["of nothing is nothing", Type.Array(Type.String()), undefined],
    ["is that of what the schema is shown as", ShownAs(Type.Object({}), Colour as Schema), "red"],
  ];
  for (const [title, schema, example] of CASES)
    it(title, () => assert.deepEqual(exampleOf(schema as Schema), example));
});
