import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { STRAGGLER_MS } from "../../cloud/calls/stragglers.ts";
import { decideVariableItems, RUN_LIFE_MS } from "./decide-managed.ts";
import type { WaitingItem } from "./env-variable.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

function waiting(overrides: Partial<WaitingItem> = {}): WaitingItem {
  return {
    runId: `run_${overrides.generation ?? 5}`,
    name: "NAME",
    kind: "parameterStore",
    generation: 5,
    environmentId: "env_1",
    serviceId: null,
    epochId: "epoch",
    wrappedKey: new Uint8Array(),
    runCreatedAt: ago(1_000),
    attemptOpen: false,
    attempts: 0,
    nextAttemptAt: null,
    variableGeneration: null,
    deleteStartedAt: null,
    putNotBefore: null,
    awsAccountId: "aws_1",
    region: "us-west-2",
    cloudName: "/slipway/p/e/NAME",
    ...overrides,
  };
}

/** Steps as `kind generation`. */
const decide = (...items: readonly WaitingItem[]): readonly string[] =>
  decideVariableItems(items, NOW).map((step) =>
    step.kind === "wait" ? `wait ${step.untilMs - NOW.getTime()}` : `${step.kind} ${step.item.generation}`,
  );

const TABLE: readonly [string, readonly WaitingItem[], readonly string[]][] = [
  ["nothing waits", [], []],
  ["a new item is put", [waiting()], ["put 5"]],
  ["an item over an older variable is put", [waiting({ variableGeneration: 4 })], ["put 5"]],
  ["an item under a newer variable is superseded", [waiting({ variableGeneration: 6 })], ["supersede 5"]],
  [
    "an item with an open attempt under a newer variable is superseded too, for the value is removed afterwards",
    [waiting({ variableGeneration: 6, attemptOpen: true })],
    ["supersede 5"],
  ],
  [
    "of two items the older, never tried one is superseded and the newer put",
    [waiting(), waiting({ generation: 6 })],
    ["supersede 5", "put 6"],
  ],
  [
    "an older item with an open attempt at the same place is settled before the newer is put",
    [waiting({ attemptOpen: true }), waiting({ generation: 6 })],
    ["settle 5", "put 6"],
  ],
  [
    "an older item with an open attempt at another place is superseded",
    [waiting({ attemptOpen: true }), waiting({ generation: 6, kind: "secretsManager" })],
    ["supersede 5", "put 6"],
  ],
  [
    "settling waits with the item that it is for",
    [waiting({ attemptOpen: true }), waiting({ generation: 6, nextAttemptAt: ago(-500) })],
    ["wait 500"],
  ],
  [
    "an older item past its life cannot be settled",
    [waiting({ attemptOpen: true, runCreatedAt: ago(RUN_LIFE_MS) }), waiting({ generation: 6 })],
    ["supersede 5", "put 6"],
  ],
  [
    "all items under a newer variable are superseded",
    [
      waiting({ attemptOpen: true, variableGeneration: 9 }),
      waiting({ generation: 6, variableGeneration: 9 }),
    ],
    ["supersede 5", "supersede 6"],
  ],
  ["an item waits out its backoff", [waiting({ nextAttemptAt: ago(-1) })], ["wait 1"]],
  ["an item is due at the end of its backoff", [waiting({ nextAttemptAt: NOW })], ["put 5"]],
  [
    "an item waits until a removal of unknown outcome cannot arrive any more",
    [waiting({ deleteStartedAt: ago(STRAGGLER_MS - 1) })],
    ["wait 1"],
  ],
  ["an item is put when it cannot", [waiting({ deleteStartedAt: ago(STRAGGLER_MS) })], ["put 5"]],
  [
    "an item waits until nothing from before a removal can arrive, and those before it are not settled sooner",
    [waiting({ attemptOpen: true }), waiting({ generation: 6, putNotBefore: ago(-700) })],
    ["wait 700"],
  ],
  ["an item just within its life is put", [waiting({ runCreatedAt: ago(RUN_LIFE_MS - 1) })], ["put 5"]],
  ["an item at the end of its life expires", [waiting({ runCreatedAt: ago(RUN_LIFE_MS) })], ["expire 5"]],
  [
    "an item expires even in its backoff",
    [waiting({ runCreatedAt: ago(RUN_LIFE_MS), nextAttemptAt: ago(-1_000) })],
    ["expire 5"],
  ],
];

describe("the items of one name", () => {
  for (const [sentence, items, steps] of TABLE) {
    it(sentence, () => assert.deepEqual(decide(...items), steps));
  }
});
