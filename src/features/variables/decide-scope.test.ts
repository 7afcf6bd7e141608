import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ManagedValue, WaitingItem } from "./env-variable.ts";
import { decideRemovals, decideWrites, storeOfPlan } from "./decide-managed.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const inMs = (ms: number): Date => new Date(NOW.getTime() + ms);

const waiting = (name: string, overrides: Partial<WaitingItem> = {}): WaitingItem => ({
  runId: "run_1",
  name,
  kind: "parameterStore",
  generation: 5,
  environmentId: "env_1",
  serviceId: null,
  epochId: "epoch",
  wrappedKey: new Uint8Array(),
  runCreatedAt: inMs(-1_000),
  attemptOpen: false,
  attempts: 0,
  nextAttemptAt: null,
  variableGeneration: null,
  deleteStartedAt: null,
  putNotBefore: null,
  awsAccountId: "aws_1",
  region: "us-west-2",
  cloudName: `/slipway/p/e/${name}`,
  ...overrides,
});

const unused = (name: string, overrides: Partial<ManagedValue> = {}): ManagedValue => ({
  organizationId: "org_1",
  scopeId: "env_1",
  name,
  kind: "parameterStore",
  awsAccountId: "aws_1",
  region: "us-west-2",
  cloudName: `/slipway/p/e/${name}`,
  generation: 5,
  mayExist: true,
  putStartedAt: null,
  deleteStartedAt: null,
  attempts: 0,
  nextAttemptAt: null,
  ...overrides,
});

describe("the writes of a scope", () => {
  it("are none if nothing waits", () => assert.deepEqual(decideWrites([], NOW), { now: [], nextMs: null }));

  it("are those of the due names; the first of the others sets the next time", () => {
    const items = [
      waiting("A"),
      waiting("B", { nextAttemptAt: inMs(500) }),
      waiting("C", { nextAttemptAt: inMs(300) }),
    ];
    const { now, nextMs } = decideWrites(items, NOW);
    assert.deepEqual(
      now.map((steps) => steps.map(({ kind }) => kind)),
      [["put"]],
    );
    assert.equal(nextMs, 300);
  });

  it("end what is superseded at once, even if the newest of its name has to wait", () => {
    const items = [waiting("A"), waiting("A", { generation: 6, nextAttemptAt: inMs(500) })];
    const { now, nextMs } = decideWrites(items, NOW);
    assert.deepEqual(
      now.map((steps) => steps.map(({ kind }) => kind)),
      [["supersede", "wait"]],
    );
    assert.equal(nextMs, 500);
  });

  it("go to the store of the value that is put", () => {
    const [put] = decideWrites([waiting("A", { kind: "secretsManager" })], NOW).now;
    assert.equal(storeOfPlan(put ?? []), "secretsManager");
    const [ended] = decideWrites([waiting("A", { variableGeneration: 6 })], NOW).now;
    assert.equal(storeOfPlan(ended ?? []), null);
  });
});

describe("the removals of a scope", () => {
  it("are the due ones; the first of the others sets the next time", () => {
    const values = [
      unused("A"),
      unused("B", { mayExist: false }),
      unused("C", { nextAttemptAt: inMs(900) }),
      unused("D", { nextAttemptAt: inMs(700) }),
    ];
    const { now, nextMs } = decideRemovals(values, NOW);
    assert.deepEqual(
      now.map(({ value, step }) => `${step.kind} ${value.name}`),
      ["remove A", "forget B"],
    );
    assert.equal(nextMs, 700);
  });
});
