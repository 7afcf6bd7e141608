/** Files of `slipway env pull`, read by python-dotenv. The package dotenv and shells read them in `npm test`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { it } from "node:test";
import * as fc from "fast-check";
import { renderDotenvLine } from "../../sdk/src/index.ts";
import { openPythonEnvironment } from "../helpers/processes/python-environment.ts";

const READ =
  "import dotenv, io, json, sys; print(json.dumps(dotenv.dotenv_values(stream=io.StringIO(sys.stdin.read()))))";

it("python-dotenv reads each value as it is, unless a warning says otherwise", () => {
  const unit = fc.constantFrom(...Array.from("ab=# '\"`\\nr$\n\r\t{}()ü;&|<>*~!"));
  const values = fc.sample(fc.string({ unit, maxLength: 12 }), { numRuns: 2_000, seed: 16 });
  const lines = values.flatMap((value, index) => {
    const rendered = renderDotenvLine(`N${index}`, value);
    return rendered === null ? [] : [{ name: `N${index}`, value, ...rendered }];
  });
  const python = openPythonEnvironment("install");
  const input = lines.map(({ line }) => `${line}\n`).join("");
  const read = JSON.parse(execFileSync(python, ["-c", READ], { input, encoding: "utf8" })) as Record<
    string,
    string
  >;
  const sure = lines.filter(({ misreadBy }) => misreadBy !== "python-dotenv");
  assert.ok(sure.length > 1_000);
  for (const { name, value } of sure) assert.equal(read[name], value);
  // The warning has a cause.
  for (const value of ["a\\\\b", "${HOME}"])
    assert.equal(renderDotenvLine("A", value)?.misreadBy, "python-dotenv");
});
