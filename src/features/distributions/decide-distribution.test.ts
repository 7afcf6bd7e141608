import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObservedDistribution } from "../../cloud/cloud.ts";
import { type Routes, routesKeyOf } from "../../cloud/routing.ts";
import { decideDistribution } from "./decide-distribution.ts";
import type { Distribution } from "./distribution.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

const WANTED: Distribution = {
  organizationId: "org_1",
  id: "cdn_1",
  serviceId: "svc_1",
  awsAccountId: "aws_1",
  isDefault: true,
  isDesired: true,
  origin: { kind: "none" },
  originMoved: false,
  requestedAt: null,
  createStartedAt: null,
  providerId: null,
  domainName: null,
  lastError: null,
};
const MADE: Distribution = {
  ...WANTED,
  requestedAt: new Date(0),
  providerId: "E1",
  domainName: "d1.example",
};
const SEEN: ObservedDistribution = {
  id: "E1",
  domainName: "d1.example",
  aliases: [],
  certificateId: null,
  enabled: true,
  redirectsKey: null,
  accessKey: null,
  routesKey: null,
  changedAt: new Date(0),
  deployed: true,
  etag: "e1",
};

describe("the next step of a distribution", () => {
  const rows: readonly [string, Distribution, ObservedDistribution | null, object][] = [
    ["a wanted one is created", WANTED, null, { kind: "create" }],
    ["a distribution that is made needs nothing", MADE, SEEN, { kind: "rest" }],
    [
      "the provider gets an origin that moved",
      { ...MADE, originMoved: true },
      SEEN,
      { kind: "moveOrigin", from: SEEN },
    ],
    ["but not where it knows no such distribution", { ...MADE, originMoved: true }, null, { kind: "rest" }],
    [
      "and a distribution that is not made yet is created",
      { ...WANTED, originMoved: true },
      null,
      { kind: "create" },
    ],
    [
      "an undesired distribution is removed, wherever its origin is",
      { ...MADE, originMoved: true, isDesired: false },
      SEEN,
      { kind: "disable", etag: "e1" },
    ],
    [
      "a distribution that was never requested is forgotten",
      { ...WANTED, isDesired: false },
      null,
      { kind: "forget" },
    ],
    [
      "one whose creation's answer was lost is found by creating it again",
      { ...WANTED, isDesired: false, requestedAt: new Date(0) },
      null,
      { kind: "create" },
    ],
    [
      "an undesired distribution is disabled first",
      { ...MADE, isDesired: false },
      SEEN,
      { kind: "disable", etag: "e1" },
    ],
    [
      "a disabled one is waited for until it is so everywhere",
      { ...MADE, isDesired: false },
      { ...SEEN, enabled: false, deployed: false },
      { kind: "waitForDeploy", since: SEEN.changedAt },
    ],
    [
      "then it is deleted",
      { ...MADE, isDesired: false },
      { ...SEEN, enabled: false },
      { kind: "delete", etag: "e1" },
    ],
    ["and forgotten when it is deleted", { ...MADE, isDesired: false }, null, { kind: "forget" }],
    [
      "one whose creation may still arrive is disabled all the same",
      { ...MADE, isDesired: false, createStartedAt: ago(59_999) },
      SEEN,
      { kind: "disable", etag: "e1" },
    ],
    [
      "and kept until it cannot arrive any more",
      { ...MADE, isDesired: false, createStartedAt: ago(59_999) },
      { ...SEEN, enabled: false },
      { kind: "waitForStraggler", until: new Date(NOW.getTime() + 1) },
    ],
    [
      "a minute after its beginning it is deleted",
      { ...MADE, isDesired: false, createStartedAt: ago(60_000) },
      { ...SEEN, enabled: false },
      { kind: "delete", etag: "e1" },
    ],
    [
      "a distribution that the account's owner deleted is not forgotten before either",
      { ...MADE, isDesired: false, createStartedAt: ago(1_000) },
      null,
      { kind: "waitForStraggler", until: new Date(NOW.getTime() + 59_000) },
    ],
  ];
  for (const [sentence, distribution, seen, expected] of rows) {
    it(sentence, () => assert.deepEqual(decideDistribution(distribution, seen, null, NOW), expected));
  }

  const PREVIEW = "a-key";
  const accessRows: readonly [string, Distribution, ObservedDistribution | null, object][] = [
    ["of a preview is created", WANTED, null, { kind: "create" }],
    ["gets the access that it lacks", MADE, SEEN, { kind: "setAccess", from: SEEN }],
    [
      "gets another access, before an origin that moved",
      { ...MADE, originMoved: true },
      { ...SEEN, accessKey: "other" },
      { kind: "setAccess", from: { ...SEEN, accessKey: "other" } },
    ],
    [
      "waits until its access is served everywhere",
      MADE,
      { ...SEEN, accessKey: PREVIEW, deployed: false },
      { kind: "waitForDeploy", since: SEEN.changedAt },
    ],
    ["with its access needs nothing", MADE, { ...SEEN, accessKey: PREVIEW }, { kind: "rest" }],
    ["that the provider does not know needs nothing", MADE, null, { kind: "rest" }],
    [
      "that is removed keeps its access",
      { ...MADE, isDesired: false },
      { ...SEEN, accessKey: "other" },
      { kind: "disable", etag: "e1" },
    ],
  ];
  for (const [name, distribution, seen, step] of accessRows)
    it(`a distribution ${name}`, () =>
      assert.deepEqual(decideDistribution(distribution, seen, null, NOW, PREVIEW), step));

  const ROUTES = { "site-pr-1": { serviceId: "svc_1" } };
  const KEY = routesKeyOf(ROUTES);
  const routed: readonly [string, Distribution, ObservedDistribution | null, Routes, object][] = [
    [
      "the provider gets routes that it lacks",
      MADE,
      SEEN,
      ROUTES,
      { kind: "route", from: SEEN, routes: ROUTES },
    ],
    ["routes that it has are left", MADE, { ...SEEN, routesKey: KEY }, ROUTES, { kind: "rest" }],
    [
      "routes to removed services are removed",
      MADE,
      { ...SEEN, routesKey: KEY },
      {},
      { kind: "route", from: { ...SEEN, routesKey: KEY }, routes: {} },
    ],
    ["a distribution that does not exist gets no routes", MADE, null, ROUTES, { kind: "rest" }],
    ["it is created before its routes", WANTED, null, ROUTES, { kind: "create" }],
    [
      "an undesired one gets none",
      { ...MADE, isDesired: false },
      SEEN,
      ROUTES,
      { kind: "disable", etag: "e1" },
    ],
  ];
  for (const [sentence, distribution, seen, routes, expected] of routed)
    it(sentence, () => assert.deepEqual(decideDistribution(distribution, seen, routes, NOW), expected));
});
