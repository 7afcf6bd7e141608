import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeRollback } from "./rollback-words.ts";

const NONE = { added: [], changed: [], removed: [] };

describe("what a rollback changes", () => {
  it("are services and variables that are added, changed and removed", () => {
    const service = (name: string, difference: "ADDED" | "CHANGED" | "REMOVED") => ({
      configId: name.toLowerCase(),
      name,
      difference,
      fields: difference === "CHANGED" ? ["startCommand"] : [],
      variables: difference === "CHANGED" ? { ...NONE, removed: ["A"], added: ["B"] } : NONE,
    });
    const services = [service("Web", "CHANGED"), service("API", "ADDED"), service("Jobs", "REMOVED")];
    const environment = { configId: "production", difference: "CHANGED", fields: ["name"], variables: NONE };
    assert.deepEqual(
      describeRollback({
        changes: {
          variables: { ...NONE, changed: ["SHARED"] },
          environments: [{ ...environment, difference: "CHANGED", services }],
        },
      }).map(({ kind, words }) => [kind, words]),
      [
        ["removed", "Removes the service Jobs: it stops and loses its address."],
        ["added", "Adds the service API, which is built again and gets a new address."],
        ["changed", "Changes the service Web: start command; variables removed: A; variables added: B."],
        ["changed", "Changes of the environment: name."],
        ["changed", "Changes of the whole configuration: variables with another value: SHARED."],
      ],
    );
  });

  it("is nothing, or not known", () => {
    const nothing = { variables: NONE, environments: [] };
    assert.deepEqual(describeRollback({ changes: nothing }), [
      { kind: "same", words: "The configuration stays as it is; only the commit changes." },
    ]);
    assert.match(describeRollback({ changes: null })[0]?.words ?? "", /not known/);
  });
});
