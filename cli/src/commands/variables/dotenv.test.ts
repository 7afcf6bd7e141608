import assert from "node:assert/strict";
import { it } from "node:test";
import { parse } from "dotenv";
import * as fc from "fast-check";
import { parseDotenv } from "../../../../sdk/src/index.ts";
import { renderLine } from "./dotenv.ts";

it("a line of a .env file is read as the value it was written for, by the package dotenv too", () => {
  const characters = fc.constantFrom(...Array.from("ab=# '\"`\\nr$\n\r\t{}ü"));
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 12 }), (value) => {
      const line = renderLine("NAME", value);
      if (line === null) return;
      assert.equal(parseDotenv(`${line}\n`)["NAME"], value);
      assert.equal(parse(`${line}\n`)["NAME"], value);
    }),
    { numRuns: 2_000 },
  );
});

it("only what the format cannot hold has no line", () => {
  for (const value of [
    "",
    "plain",
    "two words",
    "a#b",
    `it's "so"`,
    "line\nbreak",
    "carriage\r\nreturn",
    "`",
  ])
    assert.notEqual(renderLine("NAME", value), null, value);
  assert.equal(renderLine("NAME", "'\"`"), null);
});
