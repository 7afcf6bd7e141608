import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EnvVariable } from "../../../sdk/src/generated/types.ts";
import {
  previewRows,
  readDotenv,
  requestOf,
  soundsSecret,
  formatDuplicate,
  formatPlan,
  formatValues,
} from "./dotenv-preview.ts";

describe("a pasted .env", () => {
  it("has values of several lines, quotes and comments", () => {
    const { variables, wrong } = readDotenv('# shop\nexport A=1\r\nKEY="one\ntwo"\nEMPTY=\n');
    assert.deepEqual(
      [...variables],
      [
        ["A", "1"],
        ["KEY", "one\ntwo"],
        ["EMPTY", ""],
      ],
    );
    assert.deepEqual(wrong, []);
  });

  it("names every line that is none, and keeps the others", () => {
    const { variables, wrong } = readDotenv("A=1\nnonsense\nB=2\nC='open\nD=3");
    assert.deepEqual(
      wrong.map(({ line }) => line),
      [2, 4],
    );
    assert.deepEqual([...variables.keys()], ["A", "B", "D"]);
    assert.doesNotMatch(wrong[0]?.message ?? "", /^Line/);
  });

  it("has names that no variable can have on a line, and names that are given twice", () => {
    const { variables, wrong, duplicates } = readDotenv("A=1\nBAD-NAME=x\nB='two\nlines'\nA=2\n9X=1");
    assert.deepEqual(
      wrong.map(({ line }) => line),
      [2, 6],
    );
    assert.equal(
      wrong[0]?.message,
      "BAD-NAME is not a valid name. Use letters, digits and _, and begin with a letter or _.",
    );
    assert.deepEqual(duplicates, [{ name: "A", lines: [1, 5] }]);
    assert.equal(
      formatDuplicate({ name: "A", lines: [1, 3, 5] }),
      "A is on lines 1, 3 and 5. Line 5 counts.",
    );
    assert.equal(variables.get("A"), "2");
  });

  it("shows values before and after, and no secret", () => {
    const plain = { change: "changed", kind: "plainText" } as const;
    const secret = { change: "unknown", kind: "secretsManager" } as const;
    const of = (kind: "plainText" | "secretsManager", value: string | null) =>
      ({ kind, value, reference: null, fromService: null }) as EnvVariable;
    assert.deepEqual(formatValues(plain, of("plainText", "info"), "debug"), {
      before: "info",
      after: "debug",
    });
    assert.deepEqual(formatValues({ ...plain, change: "deleted" }, of("plainText", "info"), undefined), {
      before: "info",
      after: null,
    });
    assert.ok(!JSON.stringify(formatValues(secret, of("secretsManager", null), "hidden")).includes("hidden"));
  });

  it("becomes one request, by how each is stored", () => {
    const { variables } = readDotenv("A=1\nB=2");
    assert.deepEqual(
      JSON.parse(
        JSON.stringify(requestOf(variables, (name) => (name === "A" ? "plainText" : "secretsManager"))),
      ),
      { plainText: { A: "1" }, secretsManager: { B: "2" } },
    );
  });

  it("notices names that sound like secrets", () => {
    const names = ["DB_PASSWORD", "API_KEY", "GITHUB_TOKEN", "LOG_LEVEL", "PASSENGERS", "MONKEY"];
    assert.deepEqual(names.map(soundsSecret), [true, true, true, false, false, false]);
  });
});

describe("the preview", () => {
  const plan = {
    added: [{ name: "NEW", kind: "plainText" }],
    changed: [{ name: "LEVEL", kind: "secretsManager", previousKind: "plainText" }],
    unchanged: [{ name: "SAME", kind: "plainText" }],
    unknown: [{ name: "SECRET", kind: "parameterStore" }],
    deleted: [],
    refused: [{ name: "1X", kind: "plainText", code: "WRONG_FORM", message: "must match ^[a-z]" }],
  } as const;

  it("says first what stops it, and never an expression", () => {
    const rows = previewRows(plan);
    assert.deepEqual(
      rows.map(({ name, change }) => `${name} ${change}`),
      ["1X refused", "NEW added", "LEVEL changed", "SECRET unknown", "SAME unchanged"],
    );
    assert.match(rows[0]?.note ?? "", /^Some characters are not allowed here/);
    assert.match(rows[2]?.note ?? "", /another way/);
  });

  it("is counted in words", () => {
    assert.equal(formatPlan(plan), "1 invalid, 1 new, 1 changed, 1 set again, 1 the same");
    const none = { added: [], changed: [], unchanged: [], unknown: [], deleted: [], refused: [] };
    assert.equal(formatPlan(none), "nothing");
  });
});
