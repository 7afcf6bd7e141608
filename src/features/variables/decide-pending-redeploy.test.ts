import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deletion, VariableTime } from "./env-variable.ts";
import { decidePendingRedeploy } from "./decide-effective.ts";

const at = (minute: number): Date => new Date(minute * 60_000);
const RELEASE = { serviceId: "svc_1", since: at(10) };
const set = (name: string, minute: number, scopeId = "svc_1"): VariableTime => ({
  scopeId,
  name,
  source: "api",
  updatedAt: at(minute),
});
const gone = (name: string, minute: number, firstMinute: number, scopeId = "svc_1"): Deletion => ({
  scopeId,
  name,
  at: at(minute),
  firstSetAt: at(firstMinute),
});

describe("what a running release has not got yet", () => {
  const names = (times: readonly VariableTime[], deletions: readonly Deletion[] = []) =>
    decidePendingRedeploy(RELEASE, times, deletions)?.variables.map(
      ({ name, from, isDeleted }) => `${name} ${from}${isDeleted ? " deleted" : ""}`,
    ) ?? null;

  for (const [title, times, deletions, expected] of [
    ["nothing, if all is older", [set("A", 9), set("B", 10)], [], null],
    [
      "what changed since, by name",
      [set("B", 11), set("A", 12), set("C", 1)],
      [],
      ["A service", "B service"],
    ],
    ["what changed in the environment", [set("A", 11, "env_1")], [], ["A environment"]],
    ["not what the service's own hides", [set("A", 11, "env_1"), set("A", 1)], [], null],
    ["what was deleted since", [], [gone("A", 11, 1)], ["A service deleted"]],
    ["not what was deleted before", [], [gone("A", 9, 1)], null],
    ["not what came and went since", [], [gone("A", 12, 11)], null],
    ["not a deletion that the service's own hides", [set("A", 1)], [gone("A", 11, 1, "env_1")], null],
    [
      "what is the environment's again, because the service's own was deleted",
      [set("A", 1, "env_1")],
      [gone("A", 11, 1)],
      ["A service"],
    ],
    ["what was deleted and set again, once", [set("A", 12)], [gone("A", 11, 1)], ["A service"]],
  ] as const)
    it(title, () => assert.deepEqual(names(times, deletions), expected));
});
