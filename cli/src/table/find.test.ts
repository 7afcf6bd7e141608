import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../output/failure.ts";
import { findCommand } from "./find.ts";
import { nearest } from "./nearest.ts";
import { COMMANDS, GROUPS, groupOf } from "./table.ts";

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
      const found = findCommand(args.split(" "));
      assert.ok(found.kind === "command");
      assert.deepEqual([found.command.words, found.rest.join(" ")], [words, rest]);
    });
  }

  it("is not found: the nearest is named, of another program too", () => {
    assert.throws(() => findCommand(["orgs"], ["org"]), /Did you mean org\?/);
    assert.throws(() => findCommand(["domains", "lst"]), /Did you mean domains list\?/);
    assert.throws(
      () => findCommand(["xyzzy"]),
      (error) => error instanceof UsageError && !/mean/.test(error.message),
    );
  });

  it("may only be a group, or nothing", () => {
    assert.deepEqual(findCommand(["domains"]), { kind: "group", word: "domains", isHelp: false });
    assert.deepEqual(findCommand(["help", "domains"]), { kind: "group", word: "domains", isHelp: true });
    assert.deepEqual(findCommand([]), { kind: "root" });
    assert.deepEqual(findCommand(["--help"]), { kind: "root" });
    assert.deepEqual(findCommand(["--version"]), { kind: "version" });
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
    assert.equal(nearest(typed, words), near, typed);
});

it("the table has each command once, and its groups", () => {
  const words = COMMANDS.map((command) => command.words);
  assert.equal(new Set(words).size, words.length);
  const groups = COMMANDS.filter((command) => command.words.includes(" ")).map(groupOf);
  assert.deepEqual(new Set(groups), new Set(GROUPS.map(({ word }) => word)));
  for (const { words, says, arguments: wanted = [], flags = [] } of COMMANDS) {
    assert.match(says, /^[A-Z].*[^.]$/, `${words}: a sentence, whose stop is added`);
    assert.ok(
      wanted.slice(0, -1).every(({ many, optional }) => many !== true && optional !== true),
      words,
    );
    assert.equal(new Set(flags.map(({ name }) => name)).size, flags.length, words);
  }
});
