import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideRouting, type FoundRouting, type RoutingStep } from "./decide-routing.ts";

const NEW: FoundRouting = {
  hasOwn: false,
  hasShared: false,
  mayShare: true,
  isRoom: true,
  isOwnUsed: false,
};
const OLD = { ...NEW, hasOwn: true, isOwnUsed: true };
const MOVING = { ...OLD, hasShared: true };
const MOVED = { ...NEW, hasShared: true };

describe("the load balancers of a web service's next release", () => {
  const rows: readonly [string, FoundRouting, RoutingStep][] = [
    ["a new service", NEW, "shared"],
    ["a new service without room at CloudFront", { ...NEW, isRoom: false }, "full"],
    ["a new service of a connection of version 1", { ...NEW, mayShare: false }, "own"],
    ["a service with its own", OLD, "both"],
    ["a service with its own that nothing uses", { ...OLD, isOwnUsed: false }, "both"],
    ["a service with its own, without room", { ...OLD, isRoom: false }, "own"],
    ["a service with its own, of version 1", { ...OLD, mayShare: false }, "own"],
    ["a moving service whose own is used", MOVING, "both"],
    ["a moving service whose own is not used", { ...MOVING, isOwnUsed: false }, "shared"],
    ["a moving service without room for another", { ...MOVING, isRoom: false }, "both"],
    ["a moving service of version 1", { ...MOVING, mayShare: false, isOwnUsed: false }, "shared"],
    ["a moved service", MOVED, "shared"],
    ["a moved service without room for another", { ...MOVED, isRoom: false }, "shared"],
    ["a moved service of version 1", { ...MOVED, mayShare: false }, "shared"],
  ];
  for (const [name, found, step] of rows) {
    test(`${name}: ${step}`, () => assert.equal(decideRouting(found), step));
  }

  test("a load balancer of its own that is used is never taken away", () => {
    for (const mayShare of [true, false])
      for (const isRoom of [true, false])
        for (const hasShared of [true, false]) {
          const step = decideRouting({ hasOwn: true, isOwnUsed: true, mayShare, isRoom, hasShared });
          assert.ok(step === "own" || step === "both", step);
        }
  });
});
