import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "dotenv";
import * as fc from "fast-check";
import { parseDotenv } from "./dotenv.ts";
import { DotenvError } from "./errors.ts";

const ALIKE: readonly [string, string][] = [
  ["nothing", ""],
  ["a comment", "# A=1\n  # B=2\n"],
  ["a plain value", "A=1\nB = 2 \n\nC:  3\n"],
  ["an empty value", "A=\nB=''\nC="],
  ["export", "export A=1\n  export   B=2"],
  ["a comment after a value", "A=1 # one\nB=x y # z\nC= # only a comment"],
  ["a hash in quotes", `A="x # y" # z\nB='#'\nC=\`#\` # d`],
  ["line breaks in double quotes", String.raw`A="one\ntwo\r\tthree"`],
  ["single quotes as they are", String.raw`A='one\ntwo'`],
  ["several lines", `A="one\ntwo"\nB='three\nfour'\nC=\`five\n# six\``],
  ["quotes in quotes", `A="it's"\nB='say "hi"'\nC=\`"'\``],
  ["a quote that is escaped", String.raw`A="say \"hi\""` + "\n" + String.raw`B='it\'s'`],
  ["a quote in the middle", `A=it's\nB=a"b"c`],
  ["spaces within quotes", `A="  x  "\nB=   y   \n`],
  ["the last of a name", "A=1\nA=2\n"],
  ["other line ends", "A=1\r\nB='x\r\ny'\rC=3"],
  ["dots and dashes in names", "a.b-c_D9=1"],
  ["equals in a value", "URL=postgres://u:p@h/d?a=b&c=d"],
  ["a name of every object", "__proto__=1\nconstructor=2"],
];

describe("a .env file", () => {
  for (const [what, text] of ALIKE) {
    it(`is read as the package dotenv reads it: ${what}`, () => {
      const expected = Object.entries(parse(text)).filter(([name]) => name !== "__proto__");
      const read = Object.entries(parseDotenv(text)).filter(([name]) => name !== "__proto__");
      assert.deepEqual(read, expected);
    });
  }

  it("gives any name, which the package loses", () =>
    assert.deepEqual(Object.entries(parseDotenv("__proto__=1")), [["__proto__", "1"]]));

  it("is read as the package reads it, whatever the values are", () => {
    const name = fc.stringMatching(/^[A-Za-z_][\w.-]{0,8}$/).filter((one) => one !== "__proto__");
    const inside = (unit: RegExp) => fc.stringMatching(unit);
    const value = fc.oneof(
      inside(/^[ -~]{0,12}$/).filter((text) => !/^\s*['"`]|^#|[^\s]#/.test(text)),
      inside(/^[^'\\\r\u2028\u2029]{0,12}$/).map((text) => `'${text}'`),
      inside(/^(?:[^"\\\r\u2028\u2029]|\\[nrt]){0,12}$/).map((text) => `"${text}"`),
      inside(/^[^`\\\r\u2028\u2029]{0,12}$/).map((text) => `\`${text}\``),
    );
    const line = fc
      .tuple(name, fc.constantFrom("=", " = ", "= ", ": "), value)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const text = lines.join("\n");
        assert.deepEqual(parseDotenv(text), parse(text));
      }),
      { numRuns: 500 },
    );
  });

  const BROKEN: readonly [string, string, number, RegExp][] = [
    ["a quote that is never closed", `A=1\nB="x\nC=3\n`, 2, /B begins with ", which is never closed/],
    ["the same after a value of several lines", `A='x\ny'\nB=\`z`, 3, /never closed/],
    ["text after a closing quote", `A=1\n\nB="x" y\n`, 3, /Something follows the closing " of B/],
    ["a line without a value", "A=1\nJUST_A_NAME\n", 2, /not NAME=value/],
    // `dotenv` would store `abc`; a shell, python-dotenv and godotenv `abc#def`.
    ["a # within a value", "A=1\nDB_PASS=abc#def\n", 2, /DB_PASS has a # without a space[^]*in quotes/],
    ["a # that begins a value", "COLOR=#fff", 1, /COLOR has a # without a space/],
    ["a # after an empty value", "A=1\nB=#", 2, /B has a # without a space/],
    ["a name with a space", "A B=1", 1, /not NAME=value/],
  ];
  for (const [what, text, line, message] of BROKEN) {
    it(`names the line of ${what}`, () =>
      assert.throws(
        () => parseDotenv(text),
        (error) => error instanceof DotenvError && error.line === line && message.test(error.message),
      ));
  }
});
