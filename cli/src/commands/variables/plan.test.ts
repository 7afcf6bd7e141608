import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EnvVariable } from "../../../../sdk/src/index.ts";
import { planFile } from "./plan.ts";

const present = (
  name: string,
  kind: EnvVariable["kind"],
  value: string | null,
  more: object = {},
): EnvVariable => ({
  name,
  kind,
  value,
  source: "api",
  reference: null,
  fromService: null,
  state: "STORED",
  pending: null,
  lastError: null,
  updatedAt: "2026-11-20T09:30:12.000Z",
  ...more,
});
const KEEP = { store: null, newStore: "plainText", isPruned: false } as const;

describe("what a .env file changes", () => {
  const cases: Record<
    string,
    readonly [now: readonly EnvVariable[], options: Parameters<typeof planFile>[2], expected: string]
  > = {
    "a new name": [[], KEEP, "A added plain"],
    "a new name, kept as a secret": [[], { ...KEEP, newStore: "secretsManager" }, "A added secrets-manager"],
    "the same value": [[present("A", "plainText", "new")], KEEP, "A unchanged plain"],
    "another value": [[present("A", "plainText", "old")], KEEP, "A changed plain"],
    "a managed value, which stays one": [
      [present("A", "parameterStore", null)],
      KEEP,
      "A unknown parameter-store",
    ],
    "a managed value that is still being stored": [
      [present("A", "plainText", "old", { pending: { kind: "secretsManager", runId: "run_1" } })],
      KEEP,
      "A unknown secrets-manager",
    ],
    "a reference, which becomes a value": [
      [present("A", "fromSecretsManager", null)],
      KEEP,
      "A changed plain",
    ],
    "another store for all": [
      [present("A", "plainText", "new")],
      { ...KEEP, store: "secretsManager" },
      "A changed secrets-manager",
    ],
    "a name of the configuration, which stays there": [
      [present("A", "plainText", "new", { source: "config" })],
      { ...KEEP, isPruned: true },
      "A added plain",
    ],
    "what the file does not name": [
      [
        present("A", "plainText", "new"),
        present("B", "plainText", "b"),
        present("C", "secretsManager", null),
      ],
      { ...KEEP, isPruned: true },
      "A unchanged plain, B deleted plain",
    ],
    "what the file does not name, without --prune": [[present("B", "plainText", "b")], KEEP, "A added plain"],
  };
  for (const [name, [now, options, expected]] of Object.entries(cases)) {
    it(name, () => {
      const changes = planFile({ A: "new" }, now, options);
      assert.equal(changes.map((one) => `${one.name} ${one.change} ${one.store}`).join(", "), expected);
      assert.ok(
        changes.every(({ change, kind }) => (kind === null) === ["unchanged", "deleted"].includes(change)),
      );
    });
  }
});
