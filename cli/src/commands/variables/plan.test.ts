import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EnvVariable } from "../../../../sdk/src/index.ts";
import { changesOf, type FileOptions, planFile, withoutUnchanged } from "./plan.ts";

const present = (name: string, kind: EnvVariable["kind"], more: object = {}): EnvVariable => ({
  name,
  kind,
  value: kind === "plainText" ? "old" : null,
  source: "api",
  availableInPreviews: null,
  reference: null,
  fromService: null,
  state: "STORED",
  pending: null,
  lastError: null,
  updatedAt: "2026-11-20T09:30:12.000Z",
  ...more,
});
const KEEP: FileOptions = { store: null, newStore: "plainText", isPruned: false, isHeld: () => true };
const PRUNE: FileOptions = { ...KEEP, isPruned: true };

describe("the values of a .env file go", () => {
  const cases: Record<
    string,
    readonly [now: readonly EnvVariable[], options: FileOptions, group: string, deleted?: readonly string[]]
  > = {
    "to plain text, if the name is new": [[], KEEP, "plainText"],
    "to the store of new names": [[], { ...KEEP, newStore: "secretsManager" }, "secretsManager"],
    "to the store that the name has": [[present("A", "parameterStore")], KEEP, "parameterStore"],
    "to the store of a value that is still being stored": [
      [present("A", "plainText", { pending: { kind: "secretsManager", runId: "run_1" } })],
      KEEP,
      "secretsManager",
    ],
    "to plain text, in place of a reference": [[present("A", "fromSecretsManager")], KEEP, "plainText"],
    "to the store for all": [
      [present("A", "plainText")],
      { ...KEEP, store: "secretsManager" },
      "secretsManager",
    ],
    "beside a variable of the configuration": [
      [present("A", "secretsManager", { source: "config" })],
      PRUNE,
      "plainText",
    ],
    "in place of plain variables that the file does not name, and of no others": [
      [
        present("B", "plainText"),
        present("C", "secretsManager"),
        present("D", "plainText", { source: "config" }),
      ],
      PRUNE,
      "plainText",
      ["B"],
    ],
    "beside all others without --prune": [[present("B", "plainText")], KEEP, "plainText"],
  };
  for (const [name, [now, options, group, deleted = []]] of Object.entries(cases))
    it(name, () =>
      assert.deepEqual(planFile({ A: "new" }, now, options), {
        [group]: { A: "new" },
        ...(deleted.length === 0 ? {} : { delete: deleted }),
      }),
    );

  it("under every name, and no name of every object counts as one of the file", () => {
    const values = Object.fromEntries([
      ["__proto__", "1"],
      ["toString", "2"],
    ]);
    const now = ["__proto__", "constructor"].map((name) => present(name, "plainText"));
    const { plainText, ...more } = planFile(values, now, PRUNE);
    assert.deepEqual(Object.entries(plainText ?? {}), [
      ["__proto__", "1"],
      ["toString", "2"],
    ]);
    assert.deepEqual(more, { delete: ["constructor"] });
  });

  it("and leave what a pulled file cannot have", () => {
    const now = [present("B", "plainText", { value: "C:\\" }), present("C", "plainText")];
    const options: FileOptions = { ...PRUNE, isHeld: (name) => name !== "B" };
    assert.deepEqual(planFile({}, now, options), { delete: ["C"] });
  });
});

it("only what is not as it was is sent", () => {
  const plan = {
    added: [{ name: "D", kind: "plainText" as const }],
    changed: [],
    unchanged: [{ name: "A", kind: "plainText" as const }],
    unknown: [{ name: "B", kind: "secretsManager" as const }],
    deleted: [{ name: "C", kind: "plainText" as const }],
    refused: [],
  };
  const changes = changesOf(plan);
  assert.deepEqual(
    changes.map(({ name, change }) => `${name} ${change}`),
    ["A unchanged", "B unknown", "C deleted", "D added"],
  );
  const body = { plainText: { A: "1", D: "4" }, secretsManager: { B: "2" }, delete: ["C"] };
  assert.deepEqual(withoutUnchanged(body, changes), {
    plainText: { D: "4" },
    secretsManager: { B: "2" },
    delete: ["C"],
  });
  assert.deepEqual(withoutUnchanged({ plainText: { A: "1" } }, changes), {});
});
