import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { findEarly } from "./find-early.ts";
import { EARLY_PAGES } from "./pages.ts";

const find = (pathname: string, search = "") => findEarly({ pathname, search });

it("finds what a page needs, with the ids of its address", () => {
  assert.deepEqual(find("/console/services/svc_1/domains/new"), {
    file: "forms/new-domains.tsx",
    reads: ["/v1/me", "/v1/services/svc_1/place", "/v1/services/svc_1/domain-certificate-groups?limit=100"],
  });
  assert.deepEqual(
    find("/console/webhooks/whe_1/deliveries/whd_1")?.reads.at(-1),
    "/v1/webhook-endpoints/whe_1/deliveries/whd_1",
  );
});

it("knows pages with a fixed name beside those with an id", () => {
  assert.equal(find("/console/projects/new")?.file, "forms/new-project.tsx");
  assert.equal(find("/console/projects/proj_1")?.file, "pages/project.tsx");
});

it("takes the beginning for the projects", () => {
  assert.equal(find("/console/")?.file, "pages/projects.tsx");
  assert.equal(find("/console")?.file, "pages/projects.tsx");
});

it("asks for no list of an address with a filter", () => {
  assert.deepEqual(find("/console/domains", "?state=FAILING"), {
    file: "pages/domains.tsx",
    reads: ["/v1/me"],
  });
});

it("knows nothing of the sign-in and of what is no page", () => {
  for (const address of [
    "/console/sign-in",
    "/console/projects/a.b",
    "/console/users/%2e%2e",
    "/console/x/y",
  ])
    assert.equal(find(address), null, address);
});

it("names files that are there", () => {
  for (const { file } of Object.values(EARLY_PAGES))
    assert.ok(existsSync(path.join(import.meta.dirname, "..", file)), file);
});
