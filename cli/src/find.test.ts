import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Command, flagsOf, groupOf } from "./command.ts";
import { EXIT, UsageError } from "./failure.ts";
import { findCommand, suggest } from "./find.ts";
import { TABLE } from "./table.ts";

const find = (...args: string[]) => findCommand(TABLE, args);

describe("a command line", () => {
  const cases: Record<string, readonly [args: string, words: string, rest: string]> = {
    "one word": ["deploy --wait", "deploy", "--wait"],
    "two words": ["domains add a -s web", "domains add", "a -s web"],
    "flags of every command before it": [
      "--json --profile work domains list",
      "domains list",
      "--json --profile work",
    ],
    "a flag with its value": ["--url=http://a domains list", "domains list", "--url=http://a"],
    "help before it": ["help domains add", "domains add", "--help"],
  };
  for (const [name, [args, words, rest]] of Object.entries(cases)) {
    it(`is found: ${name}`, () => {
      const found = find(...args.split(" "));
      assert.ok(found.kind === "command");
      assert.deepEqual([found.command.words, found.rest.join(" ")], [words, rest]);
    });
  }

  it("is not found: the nearest is named", () => {
    assert.throws(() => find("doman"), /Did you mean domains\?/);
    assert.throws(() => find("domains", "lst"), /Did you mean domains list\?/);
    assert.throws(
      () => find("xyzzy"),
      (error) => error instanceof UsageError && !/mean/.test(error.message),
    );
  });

  it("may only be a group, or nothing", () => {
    assert.deepEqual(find("domains"), { kind: "group", word: "domains", isHelp: false });
    assert.deepEqual(find("help", "domains"), { kind: "group", word: "domains", isHelp: true });
    assert.deepEqual(find(), { kind: "root" });
    assert.deepEqual(find("--help"), { kind: "root" });
    assert.deepEqual(find("--version"), { kind: "version" });
  });

  it("may be of an operator: a word can be a command and a group, and mistakes end with 1", () => {
    const operates = (words: string): Command => ({ words, says: "", examples: [], operate: async () => {} });
    const table = { commands: ["backup", "backup verify", "org list"].map(operates), groups: [] };
    for (const [args, words] of [
      [["backup", "--to", "file"], "backup"],
      [["backup", "verify", "file"], "backup verify"],
    ] as const) {
      const found = findCommand(table, args);
      assert.equal(found.kind === "command" && found.command.words, words);
    }
    assert.throws(
      () => findCommand(table, ["org", "lst"]),
      (error) => error instanceof UsageError && error.exitCode === EXIT.FAILED,
    );
  });
});

it("the nearest word is at most a third away", () => {
  const words = ["service", "status", "wait"];
  for (const [typed, near] of [
    ["servce", "service"],
    ["stauts", "status"],
    ["serv", "service"],
    ["w", null],
    ["xyz", null],
  ] as const)
    assert.equal(suggest(typed, words), near === null ? "" : ` Did you mean ${near}?`, typed);
});

it("the table has each command once, and its groups", () => {
  const { commands, groups } = TABLE;
  const words = commands.map((command) => command.words);
  assert.equal(new Set(words).size, words.length);
  const found = commands.filter((command) => command.words.includes(" ")).map(groupOf);
  assert.deepEqual(new Set(found), new Set(groups.map(({ word }) => word)));
  for (const command of commands) {
    const { words, says, arguments: expected = [] } = command;
    assert.match(says, /^[A-Z].*[^.]$/, `${words}: a sentence, whose stop is added`);
    assert.ok(
      expected.slice(0, -1).every(({ many, optional }) => many !== true && optional !== true),
      words,
    );
    const names = flagsOf(command).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, words);
  }
});
