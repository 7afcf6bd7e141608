import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutOwnCookies } from "./own-cookies.ts";

for (const [given, left] of [
  ["slipway=sls_a.b", undefined],
  ["a=1; slipway=sls_a.b; b=2", "a=1; b=2"],
  ["__Host-slipway=x;__Host-slipway-sign-in=y; c=slipway=1", "c=slipway=1"],
  ["slipways=1; my-slipway=2", "slipways=1; my-slipway=2"],
  ["  slipway = x ; a=1", "a=1"],
  ["", undefined],
  [undefined, undefined],
] as const)
  test(`of ${String(given)}, ${String(left)} is passed on`, () =>
    assert.equal(withoutOwnCookies(given), left));
