import assert from "node:assert/strict";
import { it } from "node:test";
import { findEarly } from "./find-early.ts";
import { EARLY_READS } from "./reads.ts";

const find = (pathname: string, search = "") => findEarly({ pathname, search }, Object.keys(EARLY_READS));

it("finds what a page needs, with the ids of its address", () => {
  assert.deepEqual(find("/console/services/svc_1/domains/new"), {
    route: "/services/$serviceId/domains/new",
    reads: ["/v1/me", "/v1/services/svc_1/place", "/v1/services/svc_1/domain-certificate-groups?limit=100"],
  });
  assert.deepEqual(
    find("/console/webhooks/whe_1/deliveries/whd_1")?.reads.at(-1),
    "/v1/webhook-endpoints/whe_1/deliveries/whd_1",
  );
});

it("knows pages with a fixed name beside those with an id", () => {
  assert.equal(find("/console/projects/new")?.route, "/projects/new");
  assert.equal(find("/console/projects/proj_1")?.route, "/projects/$projectId");
});

it("takes the beginning for Home", () => {
  assert.equal(find("/console/")?.route, "/");
  assert.equal(find("/console")?.route, "/");
});

it("asks for no list of an address with a filter", () => {
  assert.deepEqual(find("/console/domains", "?state=FAILING"), {
    route: "/domains",
    reads: ["/v1/me"],
  });
});

it("knows neither the sign-in nor addresses without a page", () => {
  for (const address of [
    "/console/sign-in",
    "/console/projects/a.b",
    "/console/users/%2e%2e",
    "/console/x/y",
  ])
    assert.equal(find(address), null, address);
});
