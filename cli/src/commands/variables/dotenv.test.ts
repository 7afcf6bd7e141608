import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { parse } from "dotenv";
import * as fc from "fast-check";
import { parseDotenv, renderDotenvLine } from "../../../../sdk/src/index.ts";
import { renderShellLine } from "./dotenv.ts";

describe("a variable in a file", () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(path.join(tmpdir(), "slipway-dotenv-"))));
  after(() => rmSync(folder, { recursive: true }));

  /** What a shell has in these variables after it has read the file. */
  function readByShell(shell: string, text: string, names: readonly string[]): readonly string[] {
    const file = path.join(folder, "sourced");
    writeFileSync(file, text);
    const show = names.map((name) => `printf '%s\\0' "$${name}"`).join("\n");
    const out = execFileSync(shell, ["-c", `. ./sourced\n${show}`], { cwd: folder, encoding: "utf8" });
    return out.split("\0").slice(0, -1);
  }

  const values = fc.array(
    fc.string({ unit: fc.constantFrom(...Array.from("ab=# '\"`\\nr$\n\r\t{}()ü;&|<>*~!")), maxLength: 12 }),
    { minLength: 20, maxLength: 40 },
  );

  it("is read as its value by Slipway and dotenv, and by shells unless that is said, with the lines after it", () => {
    fc.assert(
      fc.property(values, (all) => {
        const lines = all.flatMap((value, index) => {
          const rendered = renderDotenvLine(`N${index}`, value);
          return rendered === null ? [] : [{ name: `N${index}`, value, ...rendered }];
        });
        const text = lines.map(({ line }) => `${line}\n`).join("");
        const expected = Object.fromEntries(lines.map(({ name, value }) => [name, value]));
        assert.deepEqual(parseDotenv(text), expected);
        assert.deepEqual(parse(text), expected);
        const sure = lines.filter(({ misreadBy }) => misreadBy !== "a shell");
        for (const shell of ["sh", "bash"]) {
          const read = readByShell(
            shell,
            text,
            sure.map(({ name }) => name),
          );
          assert.deepEqual(
            read,
            sure.map(({ value }) => value),
          );
        }
      }),
      { numRuns: 25 },
    );
  });

  it("is read by shells as its value from a script, whatever it is", () => {
    fc.assert(
      fc.property(values, (all) => {
        const text = all.map((value, index) => `${renderShellLine(`N${index}`, value)}\n`).join("");
        const names = all.map((_, index) => `N${index}`);
        for (const shell of ["sh", "bash"]) assert.deepEqual(readByShell(shell, text, names), all);
      }),
      { numRuns: 10 },
    );
  });

  it("runs no command in a shell", () => {
    for (const command of [
      "$(touch F)",
      "`touch F`",
      "it's $(touch F)",
      "it's `touch F`",
      "\r$(touch F)",
      "a\n touch F",
      "\\`touch F`",
      "'; touch F #",
      "\\' ; touch F ; '",
    ]) {
      const text = [renderDotenvLine("A", command)?.line ?? "", renderShellLine("B", command)].join("\n");
      readByShell("bash", text, ["B"]);
      assert.equal(existsSync(path.join(folder, "F")), false, command);
    }
  });

  it("has a line unless it could be run, or would take a part of the next line", () => {
    for (const value of [
      "",
      "plain",
      "two words",
      "a#b",
      "it's",
      `"quoted"`,
      "line\nbreak",
      "a\r\nb",
      "`",
      "$HOME",
    ])
      assert.notEqual(renderDotenvLine("NAME", value), null, value);
    for (const value of ["ends\\", `it's "x"`, "it's $(touch F)", "it's $HOME", "'`", "$\r"])
      assert.equal(renderDotenvLine("NAME", value), null, value);
  });

  it("says which program reads another value", () => {
    const misreaders = ["a\\\\b", "${HOME}/x", "a\rb", "a\\b", "$HOME"].map(
      (value) => renderDotenvLine("A", value)?.misreadBy,
    );
    assert.deepEqual(misreaders, ["python-dotenv", "python-dotenv", "a shell", null, null]);
  });
});
