import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProjectRow } from "../../../sdk/src/generated/types.ts";
import { type Facts, isPageOf, stepsOf } from "./decide-first-steps.ts";

const CONNECTED = { id: "aws_1", status: "CONNECTED", connectedAwsAccountId: "123456789012" } as const;
const WAITING = { id: "aws_2", status: "AWAITING_CONNECTION", connectedAwsAccountId: null } as const;
const EMPTY: Facts = {
  accounts: [],
  git: [],
  projects: [],
  services: undefined,
  domains: undefined,
  served: null,
};
const projectOf = (state: ProjectRow["environments"][number]["state"]) => ({
  id: "proj_1",
  environments: [{ id: "env_1", state } as ProjectRow["environments"][number]],
});
const ready = { ...EMPTY, accounts: [CONNECTED], git: [{}] };
const live = { ...ready, projects: [projectOf("LIVE")] };

const next = (facts: Facts) => {
  const step = stepsOf(facts).find(({ isDone }) => !isDone);
  return step === undefined ? null : [step.id, step.to];
};

describe("the first steps", () => {
  it("are one path, each with the page that it concerns", () => {
    assert.deepEqual(next(EMPTY), ["account", "/accounts/new"]);
    assert.deepEqual(next({ ...EMPTY, accounts: [WAITING] }), ["account", "/accounts/aws_2"]);
    assert.deepEqual(next({ ...ready, git: [] }), ["git", "/git-integrations/new"]);
    assert.deepEqual(next(ready), ["project", "/projects/new"]);
    assert.deepEqual(next({ ...ready, projects: [projectOf("NOT_LIVE")] }), [
      "deployment",
      "/projects/proj_1",
    ]);
    const services = [
      { id: "svc_1", type: "worker", environmentId: "env_1" },
      { id: "svc_2", type: "web", environmentId: "env_1" },
    ] as const;
    assert.deepEqual(next({ ...live, services, domains: [] }), ["domain", "/services/svc_2/domains/new"]);
    const domains = [{ domainCertificateGroupId: "group_1" }];
    assert.deepEqual(next({ ...live, services, domains }), ["records", "/groups/group_1"]);
    assert.equal(next({ ...live, services, domains, served: { name: "www.example.com" } }), null);
  });

  it("stay ticked: an account that lost its role was connected", () => {
    assert.deepEqual(next({ ...live, accounts: [{ ...CONNECTED, status: "DISCONNECTED" }] })?.[0], "domain");
  });

  it("count what the caller must not read as done once something was made of it", () => {
    assert.deepEqual(next({ ...live, git: undefined })?.[0], "domain");
    assert.deepEqual(next({ ...ready, git: undefined })?.[0], "git");
  });

  it("know the pages that they lead through", () => {
    const pages = ["/accounts", "/git-integrations/git_1", "/projects", "/deployments/depl_1"];
    pages.push("/services/svc_1/domains", "/groups/group_1");
    const services = [{ id: "svc_1", type: "web", environmentId: "env_1" }] as const;
    stepsOf({ ...live, services, domains: [{ domainCertificateGroupId: "group_1" }] }).forEach(
      (step, index) => {
        assert.deepEqual(
          pages.filter((page) => isPageOf(step, page)),
          [pages[index]],
          step.id,
        );
        assert.ok(isPageOf(step, step.to));
      },
    );
    assert.ok(stepsOf(live).every((step) => !isPageOf(step, "/settings")));
  });
});
