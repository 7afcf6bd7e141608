import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { STRAGGLER_MS } from "../../cloud/calls/stragglers.ts";
import { decideRemoval, decideSecondRemoval } from "./decide-managed.ts";
import type { ManagedValue } from "./env-variable.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

const unused = (overrides: Partial<ManagedValue> = {}): ManagedValue => ({
  organizationId: "org_1",
  scopeId: "env_1",
  name: "NAME",
  kind: "parameterStore",
  awsAccountId: "aws_1",
  region: "us-west-2",
  cloudName: "/slipway/p/e/NAME",
  generation: 5,
  mayExist: true,
  putStartedAt: null,
  deleteStartedAt: null,
  attempts: 0,
  nextAttemptAt: null,
  ...overrides,
});

describe("a managed value that nothing uses", () => {
  it("is forgotten without a call when nothing was ever put there", () =>
    assert.deepEqual(decideRemoval(unused({ mayExist: false }), NOW), { kind: "forget" }));
  it("is removed at once", () => assert.deepEqual(decideRemoval(unused(), NOW), { kind: "remove" }));
  it("waits out the backoff of a removal that failed", () =>
    assert.deepEqual(decideRemoval(unused({ nextAttemptAt: ago(-1) }), NOW), {
      kind: "wait",
      untilMs: NOW.getTime() + 1,
    }));
  it("is removed once the backoff has ended", () =>
    assert.deepEqual(decideRemoval(unused({ nextAttemptAt: NOW }), NOW), { kind: "remove" }));

  it("is removed once if no put began recently", () => {
    assert.equal(decideSecondRemoval(unused(), NOW), null);
    assert.equal(decideSecondRemoval(unused({ putStartedAt: ago(STRAGGLER_MS) }), NOW), null);
  });
  it("is removed again if another removal may still arrive and delete a new value", () => {
    const deleteStartedAt = ago(STRAGGLER_MS - 2);
    assert.deepEqual(decideSecondRemoval(unused({ deleteStartedAt }), NOW), ago(-2));
    assert.deepEqual(
      decideSecondRemoval(unused({ deleteStartedAt, putStartedAt: ago(STRAGGLER_MS - 3) }), NOW),
      ago(-3),
      "the later of both",
    );
  });
  it("is removed again if a put that began just before may still arrive", () => {
    const putStartedAt = ago(STRAGGLER_MS - 1);
    assert.deepEqual(decideSecondRemoval(unused({ putStartedAt }), NOW), ago(-1));
  });
});
