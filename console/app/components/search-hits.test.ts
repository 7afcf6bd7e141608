import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SearchHit } from "../../../sdk/src/generated/types.ts";
import { pathOfHit, tellHit } from "./search-hits.ts";

const HIT: SearchHit = {
  type: "domain",
  id: "dom_1",
  name: "www.example.com",
  status: "ATTACHED",
  projectId: "proj_1",
  projectName: "Shop",
  environmentId: "env_1",
  environmentName: "Production",
  serviceId: "svc_1",
  serviceName: "Web",
  domainCertificateGroupId: "group_1",
  branch: null,
  commit: null,
  createdAt: "2026-01-01T00:00:00Z",
};

describe("what a search found", () => {
  it("leads to the page where it is shown", () => {
    assert.equal(pathOfHit(HIT), "/groups/group_1");
    assert.equal(pathOfHit({ ...HIT, type: "deployment", id: "depl_1" }), "/deployments/depl_1");
    assert.equal(pathOfHit({ ...HIT, type: "newer" as "domain" }), null);
  });

  it("says what it is and where, and names a deployment by its message or its commit", () => {
    assert.deepEqual(tellHit(HIT), {
      label: "www.example.com",
      where: "Domain · Shop · Production · Web",
      status: "ATTACHED",
      at: null,
    });
    const deployment = { ...HIT, type: "deployment", name: null, commit: "9fceb02aaaa" } as const;
    assert.equal(tellHit(deployment).label, "Commit 9fceb02");
    assert.equal(tellHit(deployment).at, HIT.createdAt);
    assert.equal(tellHit({ ...deployment, name: "Fix\n\nlong" }).label, "Fix");
  });
});
