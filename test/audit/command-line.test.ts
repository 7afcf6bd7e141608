/** The command line says what was wrong, and what comes nearest to it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const ENTRY = path.join(ROOT, "bin/slipway.js");

describe("D8: the command line", () => {
  let dataDir: string;
  before(async () => {
    dataDir = await makeTempDir("command-line");
    await copyPgliteTemplate(path.join(dataDir, "database"));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  const run = async (...args: string[]) =>
    await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(
        process.execPath,
        [ENTRY, ...args],
        { env: cleanEnv({ SLIPWAY_DATA_DIR: dataDir }) },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  const mistaken: readonly (readonly [args: readonly string[], said: readonly RegExp[]])[] = [
    [
      ["orgs", "list"],
      [/There is no command orgs/, /Did you mean org\?/, /slipway --help/],
    ],
    [["migrat"], [/There is no command migrat/, /Did you mean migrate\?/]],
    [
      ["org", "lst"],
      [/There is no command org lst/, /Did you mean org list\?/, /slipway org --help/],
    ],
    [
      ["org", "create"],
      [/The argument NAME is missing/, /slipway org create --help/],
    ],
    [["org", "create", " "], [/NAME must not be blank/]],
    [["key", "create"], [/The argument ORGANIZATION_ID is missing/]],
    [["move"], [/Give --to URL, or --undo/, /slipway move --help/]],
    [["backup"], [/--to PATH is missing/, /slipway backup --help/]],
    [
      ["org", "create", "a", "b"],
      [/Unexpected argument: "b"/, /slipway org create --help/],
    ],
    [["start", "--port", "4000"], [/There is no flag --port/]],
    [["keys", "rotate", "--url", "http://localhost"], [/There is no flag --url/]],
    [["--vesion"], [/There is no flag --vesion/, /Did you mean --version\?/]],
    [
      ["key", "create", "org_none"],
      [/There is no organization org_none/, /slipway org list/],
    ],
  ];
  for (const [args, said] of mistaken) {
    it(`D8: says what is wrong with: slipway ${args.join(" ")}`, async () => {
      const { code, stderr } = await run(...args);
      // Users' commands have an exit code of their own for what was typed wrong.
      assert.ok(code === 1 || code === 2, String(code));
      for (const pattern of said) assert.match(stderr, pattern);
      assert.doesNotMatch(stderr, /^\s+at /m, "no stack");
    });
  }

  it("D8: prints the release", async () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
    for (const option of ["--version", "-v"]) {
      assert.deepEqual(await run(option), { code: 0, stdout: `${version}\n`, stderr: "" });
    }
  });

  it("D8: has help for each command of the operator, which says what it does", async () => {
    const { code, stdout } = await run("--help");
    assert.equal(code, 0);
    const [, commands = ""] = /^Operator's commands.*:\n([^]*?)\n\n/m.exec(stdout) ?? [];
    const names = commands.split("\n").map((line) => line.trim().split(/ {2,}/)[0]?.split(" ") ?? []);
    assert.ok(names.length >= 9, commands);
    for (const words of names) {
      const help = await run(...words, "--help");
      assert.equal(help.code, 0, words.join(" "));
      assert.match(help.stdout, new RegExp(`Usage: slipway ${words.join(" ")}`));
      assert.deepEqual(await run("help", ...words), help);
    }
  });
});
