import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DistributionConfig, Origin } from "@aws-sdk/client-cloudfront";
import type { Routes } from "../../routing.ts";
import type { Call } from "../calls/calls.ts";
import { ACCOUNT } from "../platform/stacks/templates/testing-templates.ts";
import { emptyOrigin, newDistributionConfig, PREVIEWS_ORIGIN } from "./distribution-config.ts";
import type { Answers } from "./preview-function.ts";
import { answersOf, originsFor, withPreviewState, withPreviewTarget } from "./preview-routes.ts";
import { withViewerFunction } from "./redirect-functions.ts";
import { originFor, type Target } from "./service-origin.ts";

const BALANCER: Target = { kind: "balancer", domain: "lb.elb.amazonaws.com", vpcOriginId: "vo_1" };
const FILES: Target = {
  kind: "files",
  domain: "b.s3.amazonaws.com",
  path: "/a/1",
  access: "EA",
  functionArn: "",
};
const FRESH = newDistributionConfig("t0ken", { kind: "previews", environmentId: "env_1" });
const PLACEHOLDER = emptyOrigin(PREVIEWS_ORIGIN);
const WEB = originFor("svc_web", BALANCER);
const NEW = originFor("svc_new", { kind: "nothing" });
const MINE: Origin = { Id: "mine", DomainName: "mine.example.com" };
const routes: Routes = { "web-pr-1": { serviceId: "svc_web" } };

describe("the origins of the distribution that previews share", () => {
  const rows: readonly (readonly [
    sentence: string,
    present: readonly Origin[],
    wanted: Routes,
    targets: readonly (readonly [string, Target])[],
    after: readonly Origin[],
  ])[] = [
    ["a service without a release gets an empty one", [], { n: { serviceId: "svc_new" } }, [], [NEW]],
    ["a released service gets the one of its release", [], routes, [["svc_web", BALANCER]], [WEB]],
    ["the origin of a release stays", [WEB], routes, [["svc_web", FILES]], [WEB]],
    ["a service without a route keeps its one until it is pointed away", [WEB], {}, [], [WEB]],
    ["then it loses it", [NEW], {}, [], []],
    [
      "a host elsewhere has one by its label",
      [emptyOrigin("slipway-host-d", "old.example.com")],
      { d: { hostname: "docs.example.com" } },
      [],
      [emptyOrigin("slipway-host-d", "docs.example.com")],
    ],
    ["a host without a route loses its one", [emptyOrigin("slipway-host-d", "docs.example.com")], {}, [], []],
    ["what the customer added stays", [MINE], routes, [["svc_web", BALANCER]], [MINE, WEB]],
  ];
  for (const [sentence, present, wanted, targets, after] of rows)
    it(sentence, () => {
      const items = [PLACEHOLDER, ...present];
      const { Origins } = originsFor(
        { Origins: { Quantity: items.length, Items: items } },
        wanted,
        new Map(targets),
      );
      assert.deepEqual(Origins, { Quantity: after.length + 1, Items: [PLACEHOLDER, ...after] });
    });
});

it("a service keeps what it is at another label, and a new one is what it is released as", () => {
  const before: Answers = { "site-pr-1": { kind: "app", serviceId: "svc_site" }, gone: { kind: "host" } };
  const wanted: Routes = {
    "page-pr-1": { serviceId: "svc_site" },
    "web-pr-1": { serviceId: "svc_web" },
    "new-pr-1": { serviceId: "svc_new" },
    "docs-pr-1": { hostname: "docs.example.com" },
  };
  assert.deepEqual(answersOf(wanted, before, new Map([["svc_web", "web"]])), {
    "page-pr-1": { kind: "app", serviceId: "svc_site" },
    "web-pr-1": { kind: "web", serviceId: "svc_web" },
    "new-pr-1": { kind: "nothing", serviceId: "svc_new" },
    "docs-pr-1": { kind: "host" },
  });
});

describe("a distribution of previews", () => {
  const call = (() => assert.fail("nothing is called")) as Call;
  const findTarget = () => Promise.resolve(null);
  const update = (config: DistributionConfig, desired: Parameters<typeof withPreviewState>[4]) =>
    withPreviewState(call, ACCOUNT, "E1", config, desired, findTarget);
  const foreign = withViewerFunction(FRESH, "arn:aws:cloudfront::1:function/mine");
  const gate = { key: "k".repeat(43), signInUrl: "https://slipway.example/open", bypassHash: null };

  it("is unchanged by an update of its names", async () => {
    assert.equal(await update(FRESH, {}), FRESH);
    assert.equal(await update(foreign, {}), foreign);
  });

  it("takes no redirects, and no routes or access beside a function of the customer's", async () => {
    const refused = { kind: "invalid", code: "REDIRECTS_REFUSED" };
    await assert.rejects(update(FRESH, { redirects: { "a.example": "b.example" } }), refused);
    await assert.rejects(update(foreign, { routes }), refused);
    await assert.rejects(update(foreign, { access: { gate } }), refused);
    const DefaultCacheBehavior = {
      ...FRESH.DefaultCacheBehavior,
      TargetOriginId: PREVIEWS_ORIGIN,
      ViewerProtocolPolicy: "redirect-to-https" as const,
      LambdaFunctionAssociations: {
        Quantity: 1,
        Items: [{ EventType: "viewer-request" as const, LambdaFunctionARN: "arn:lambda" }],
      },
    };
    await assert.rejects(update({ ...FRESH, DefaultCacheBehavior }, { routes }), refused);
  });

  it("has no room for more services than one function can name", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`web-pr-${n}`, { serviceId: `svc_${n}` }]),
    );
    await assert.rejects(update(FRESH, { routes: many }), { kind: "limit", code: "TOO_MANY_ROUTES" });
  });

  it("answers nothing more if the customer took its function away: a release sets the origin only", async () => {
    const items = [PLACEHOLDER, NEW];
    const config = { ...FRESH, Origins: { Quantity: items.length, Items: items } };
    const pointed = await withPreviewTarget(call, ACCOUNT, "E1", config, "svc_new", BALANCER);
    assert.deepEqual(pointed.Origins?.Items, [PLACEHOLDER, originFor("svc_new", BALANCER)]);
    assert.deepEqual(pointed.DefaultCacheBehavior, FRESH.DefaultCacheBehavior);
  });
});
