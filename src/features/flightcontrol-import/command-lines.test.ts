import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { it } from "node:test";
import { chain, readCommand, readFolder } from "./command-lines.ts";

const lineOf = (value: unknown): string => {
  const command = readCommand(value);
  return command.kind === "command" ? command.line : assert.fail(command.kind);
};

it("lines do in a shell what the steps and words say", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "command-lines-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, "my app"));
  writeFileSync(
    path.join(folder, "my app", "args.cjs"),
    "console.log(process.ppid, JSON.stringify(process.argv.slice(2)))",
  );
  const run = (line: string): string =>
    execFileSync("sh", ["-c", line], { cwd: folder, encoding: "utf8" }).trim();

  const words = ["node", "my app/args.cjs", "a b", "it's", "$HOME", "", "*", "--x=1", "ü"];
  assert.equal(run(lineOf(words)).replace(/^\d+ /, ""), JSON.stringify(words.slice(2)));
  assert.equal(
    run(chain(["false || echo one", "echo two; echo three", "echo four # comment", "echo five"])),
    "one\ntwo\nthree\nfour\nfive",
  );
  assert.throws(() => run(chain(["echo one", "false; false", "echo never"])));
});

it("a list keeps its words, with the names of Slipway's variables", () => {
  const wordsOf = (value: unknown) => {
    const command = readCommand(value);
    return command.kind === "command" ? command.words : command.kind;
  };
  assert.deepEqual(wordsOf(["sh", "-c", "run $FC_URL", "$X", ""]), [
    "sh",
    "-c",
    "run $SLIPWAY_URL",
    "$X",
    "",
  ]);
  assert.equal(wordsOf("node a.js"), null);
  assert.equal(wordsOf([]), "none");
  assert.equal(wordsOf(["", "a"]), "wrong");
  assert.equal(wordsOf(Array.from({ length: 257 }, () => "a")), "long");
});

it("folders are those inside the repository", () => {
  for (const [written, folder] of [
    [".", "."],
    ["./", "."],
    ["", "."],
    ["./apps/web/", "apps/web"],
    ["apps/web", "apps/web"],
    ["/apps", null],
    ["../apps", null],
    ["apps/../../b", null],
    ["apps//b", null],
    ["a\\b", null],
    ["a\nb", null],
    [5, null],
  ] as const)
    assert.equal(readFolder(written), folder, String(written));
});
