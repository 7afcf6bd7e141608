/** Variables that go into files and come from files, however many they are and whatever they are called. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { parse } from "dotenv";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { type CommandLine, createCommandLine } from "./command-line.ts";

describe("files of variables", () => {
  let instance: Instance;
  let project: Project;
  let cli: CommandLine;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "Shop");
    cli = await createCommandLine();
  });
  after(async () => {
    await cli.dispose();
    await instance.dispose();
  });
  beforeEach(async () => {
    await instance.admin.put(`/v1/environments/${project.environmentId}/env-variables`, {});
  });

  const run = async (args: readonly string[], stdin?: string) =>
    await cli.run([...args, "-p", "Shop", "--json"], {
      env: { SLIPWAY_URL: instance.url, SLIPWAY_TOKEN: ADMIN_KEY },
      ...(stdin === undefined ? {} : { stdin }),
    });
  const file = (name: string) => path.join(cli.folder, name);
  const list = async (): Promise<Record<string, string>> => {
    const ended = await run(["env", "list"]);
    assert.equal(ended.code, 0, ended.stderr);
    return Object.fromEntries(ended.json().map(({ name, value }: Record<string, string>) => [name, value]));
  };
  const names = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `A_NAME_OF_SOME_LENGTH_${String(index).padStart(4, "0")}`);
  const textOf = (all: readonly string[]): string => all.map((name) => `${name}=1\n`).join("");

  it("are pushed whole, although the names to delete would not fit in an address", async () => {
    assert.equal((await run(["env", "import", "-"], textOf(names(250)))).code, 0);
    assert.equal(names(250).join(",").length > 4_000, true);
    await writeFile(file("one"), "OTHER=1\n");
    const pushed = await run(["env", "push", "one", "--prune", "--yes"]);
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.deepEqual(await list(), { OTHER: "1" });
  });

  it("have 600 variables, which are set in one request and deleted in one", async () => {
    const { code, stderr } = await run(["env", "import", "-"], textOf(names(600)));
    assert.equal(code, 0, stderr);
    const before = await newestEntry();
    const unset = await run(["env", "unset", ...names(600), "--yes"]);
    assert.equal(unset.code, 0, unset.stderr);
    assert.equal(unset.json().deletedCount, 600);
    assert.deepEqual(await list(), {});
    const { body } = await instance.admin.get(
      "/v1/audit-entries?action=env-variables.deleted&order=desc&limit=2",
    );
    assert.equal(body.auditEntries[1]?.id === before, true, "one deletion");
  });

  it("are refused before the first write if they have too many, in words that name the limit", async () => {
    const ended = await run(["env", "import", "-"], textOf(names(2_001)));
    assert.equal(ended.code, 1);
    assert.match(ended.error().hint, /^The request sets 2001 variables; set at most 2000 in one request$/);
    assert.deepEqual(await list(), {});
    const unset = await run(["env", "unset", "NOBODY", "--yes"]);
    assert.equal(unset.code, 1);
    assert.match(unset.error().hint, /^\/delete\/0: has NOBODY, which is not the name of a variable/);
  });

  it("come back under every name, also those of members of every object", async () => {
    const text = "__proto__=1\nconstructor=2\ntoString=3\n";
    const done = await run(["env", "import", "-"], text);
    assert.equal(done.code, 0, done.stderr);
    const pulled = await cli.run(["env", "pull", "-", "-p", "Shop"], {
      env: { SLIPWAY_URL: instance.url, SLIPWAY_TOKEN: ADMIN_KEY },
    });
    assert.equal(pulled.stdout, text);
    const set = await run(["env", "set", "__proto__=4", "valueOf=5"]);
    assert.equal(set.code, 0, set.stderr);
    assert.deepEqual(Object.entries(await list()), [
      ["__proto__", "4"],
      ["constructor", "2"],
      ["toString", "3"],
      ["valueOf", "5"],
    ]);
    await writeFile(file("kept"), "toString=3\n");
    const pushed = await run(["env", "push", "kept", "--prune", "--yes"]);
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.deepEqual(await list(), { toString: "3" });
  });

  it("are refused for a # that some readers take for the end of a value, with the line", async () => {
    const ended = await run(["env", "import", "-"], "A=1\nDB_PASS=abc#def\n");
    assert.deepEqual([ended.code, ended.error().code], [1, "INVALID_FILE"]);
    assert.match(ended.error().message, /^Line 2: The value of DB_PASS has a #/);
    assert.doesNotMatch(ended.stderr, /abc/);
    assert.deepEqual(await list(), {});
    const quoted = await run(["env", "import", "-"], "DB_PASS='abc#def' # a comment\n");
    assert.equal(quoted.code, 0, quoted.stderr);
    assert.deepEqual(await list(), { DB_PASS: "abc#def" });
  });

  describe("that are pulled", () => {
    const VALUES = {
      BACKSLASH: "ends\\",
      COMMAND: "it's $(touch F)",
      LINES: "one\ntwo $HOME",
      QUOTES: `it's "x"`,
      SHARE: String.raw`\\server\share`,
      SIMPLE: "it's",
    };
    beforeEach(async () => {
      const path = `/v1/environments/${project.environmentId}/env-variables`;
      assert.equal((await instance.admin.post(path, { plainText: VALUES })).status, 200);
    });

    it("run nothing in a shell, keep every next line, and warn of what has no safe form", async () => {
      const ended = await run(["env", "pull", "pulled"]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.deepEqual(ended.json().notWritten, ["BACKSLASH", "COMMAND", "QUOTES"]);
      assert.deepEqual(ended.json().misread, [{ name: "SHARE", misreadBy: "python-dotenv" }]);
      assert.match(
        ended.stderr,
        /BACKSLASH, COMMAND, QUOTES[.] Every value can be written with --format shell/,
      );
      const { LINES, SHARE, SIMPLE } = VALUES;
      assert.deepEqual(parse(await readFile(file("pulled"))), { LINES, SHARE, SIMPLE });
      const show = `printf '%s|' "$LINES" "$SHARE" "$SIMPLE" "$COMMAND"`;
      const read = execFileSync("bash", ["-c", `source ./pulled; ${show}`], {
        cwd: cli.folder,
        encoding: "utf8",
      });
      assert.equal(read, `${LINES}|${SHARE}|${SIMPLE}||`);
      assert.equal(existsSync(file("F")), false);
    });

    it("are not pruned for values that they cannot hold", async () => {
      await run(["env", "pull", "pulled", "--yes"]);
      const pushed = await run(["env", "push", "pulled", "--prune", "--yes"]);
      assert.equal(pushed.code, 0, pushed.stderr);
      assert.deepEqual(await list(), VALUES);
    });

    it("hold every value as a script for a shell, and as JSON, which is pushed again", async () => {
      const script = await run(["env", "pull", "script", "--format", "shell"]);
      assert.deepEqual(script.json().notWritten, []);
      const show = "process.stdout.write(JSON.stringify(process.env))";
      const line = `source ./script; ${process.execPath} -e '${show}'`;
      const read = execFileSync("bash", ["-c", line], { cwd: cli.folder, encoding: "utf8" });
      const seen = JSON.parse(read) as Record<string, string>;
      assert.deepEqual(Object.fromEntries(Object.keys(VALUES).map((name) => [name, seen[name]])), VALUES);
      assert.equal(existsSync(file("F")), false);

      const json = await run(["env", "pull", "--format", "json"]);
      assert.deepEqual(json.json(), VALUES);
      await writeFile(file("values.json"), JSON.stringify({ ...VALUES, SIMPLE: "other" }));
      const pushed = await run(["env", "push", "values.json", "--format", "json", "--prune", "--yes"]);
      assert.equal(pushed.code, 0, pushed.stderr);
      assert.deepEqual(await list(), { ...VALUES, SIMPLE: "other" });
    });

    it("are refused as JSON with a value that is not text", async () => {
      for (const [text, said] of [
        ['{"PORT": 3000}', /The value of PORT must be a text in quotes/],
        ["[]", /must be a JSON object/],
        ["A=1", /The file is not JSON/],
      ] as const) {
        const ended = await run(["env", "import", "-", "--format", "json"], text);
        assert.deepEqual([ended.code, ended.error().code], [1, "INVALID_FILE"]);
        assert.match(ended.error().message, said);
      }
    });
  });

  async function newestEntry(): Promise<string> {
    const { body } = await instance.admin.get(
      "/v1/audit-entries?action=env-variables.deleted&order=desc&limit=1",
    );
    return body.auditEntries[0].id;
  }
});
