import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decidePlace,
  MAX_PLACES,
  type PlaceDecision,
  type Places,
  portOf,
  withPlace,
} from "./decide-place.ts";

const FULL = Array.from({ length: MAX_PLACES }, (_, index) => `svc_${index}`);

const ROWS: readonly [string, Places, PlaceDecision][] = [
  ["the first service takes the first place", [], { kind: "take", place: 1 }],
  ["the next one takes the next place", ["svc_a"], { kind: "take", place: 2 }],
  ["a service keeps its place", ["svc_a", "svc_me"], { kind: "has", place: 2 }],
  ["a free place is taken before a new one", ["svc_a", null, "svc_b"], { kind: "take", place: 2 }],
  ["the last place can be taken", FULL.slice(1), { kind: "take", place: MAX_PLACES }],
  ["there is no place beyond the last", FULL, { kind: "full" }],
  [
    "a service keeps its place at a full load balancer",
    [...FULL.slice(1), "svc_me"],
    { kind: "has", place: MAX_PLACES },
  ],
];
for (const [name, places, expected] of ROWS) {
  test(name, () => assert.deepEqual(decidePlace(places, "svc_me"), expected));
}

test("services that come one after the other never share a place, nor a port", () => {
  let places: Places = [];
  const ports = new Set<number>();
  for (const serviceId of FULL) {
    const decision = decidePlace(places, serviceId);
    assert.equal(decision.kind, "take");
    places = withPlace(places, decision.kind === "take" ? decision.place : 0, serviceId);
    ports.add(portOf(places.indexOf(serviceId) + 1));
  }
  assert.deepEqual(places, FULL);
  assert.equal(ports.size, MAX_PLACES);
  assert.throws(() => portOf(MAX_PLACES + 1), RangeError);
});

test("a place that was left is free again", () => {
  assert.deepEqual(withPlace(["svc_a", "svc_b"], 1, null), [null, "svc_b"]);
});
