import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfiguredEnvironment, ConfiguredService } from "./configuration.ts";
import { decideEnvironmentPlan, type EnvironmentPlan } from "./decide-environment-plan.ts";
import type { Environment, Service, ServiceType } from "../projects/project.ts";

const AT = new Date(0);
const ENVIRONMENT: Environment = {
  organizationId: "org_1",
  id: "env_1",
  projectId: "proj_1",
  configId: "production",
  name: "Production",
  region: "us-west-2",
  branch: "main",
  deployTrigger: "manual",
  createdAt: AT,
  updatedAt: AT,
};
const CONFIGURED: ConfiguredEnvironment = {
  id: "production",
  name: "Production",
  region: "us-west-2",
  branch: "main",
  trigger: "manual",
  variables: [],
  services: [],
};

function configured(id: string, type: ServiceType, settings: object = {}): ConfiguredService {
  return { id, name: id, type, settings: { dependsOn: [], ...settings }, variables: [] };
}
function present(id: string, type: ServiceType, settings: object = {}): Service {
  const { organizationId, projectId, id: environmentId } = ENVIRONMENT;
  return {
    organizationId,
    id: `svc_${id}`,
    projectId,
    environmentId,
    configId: id,
    name: id,
    type,
    settings: { dependsOn: [], ...settings },
    createdAt: AT,
    updatedAt: AT,
  };
}
const NOTHING: EnvironmentPlan = { environment: [], created: [], changed: [], removed: [], unchanged: [] };

describe("the plan of an environment", () => {
  const cases: Record<
    string,
    [services: readonly Service[], wanted: readonly ConfiguredService[], plan: Partial<EnvironmentPlan>]
  > = {
    "creates what is new": [[], [configured("a", "static")], { created: ["a"] }],
    "removes what is gone": [[present("a", "static")], [], { removed: ["a"] }],
    "leaves what is the same": [
      [present("a", "web", { port: 80 })],
      [configured("a", "web", { port: 80 })],
      { unchanged: ["a"] },
    ],
    "names the fields that change, come and go": [
      [present("a", "web", { port: 80, cpu: 1, dependsOn: ["b"] })],
      [configured("a", "web", { port: 81, buildCommand: "make" })],
      { changed: [{ service: "a", fields: ["buildCommand", "cpu", "dependsOn", "port"] }] },
    ],
    "takes a service of another id for another one": [
      [present("a", "static")],
      [configured("b", "static")],
      { created: ["b"], removed: ["a"] },
    ],
    "is not misled by names that objects have": [
      [present("constructor", "static")],
      [configured("constructor", "static")],
      { unchanged: ["constructor"] },
    ],
  };
  for (const [name, [services, wanted, plan]] of Object.entries(cases)) {
    it(name, () => {
      const decided = decideEnvironmentPlan(ENVIRONMENT, services, { ...CONFIGURED, services: wanted }, 0);
      assert.deepEqual(decided, { plan: { ...NOTHING, ...plan }, faults: [] });
    });
  }

  it("names what changes of the environment itself", () => {
    const changed = { ...CONFIGURED, name: "Live", branch: "release", trigger: "push" } as const;
    const { plan } = decideEnvironmentPlan(ENVIRONMENT, [], changed, 0);
    assert.deepEqual(plan.environment, ["name", "branch", "trigger"]);
  });

  it("has a fault for all that cannot change, with its place", () => {
    const services = [present("a", "static"), present("b", "external", { hostname: "a.example.com" })];
    const wanted = {
      ...CONFIGURED,
      region: "eu-west-1",
      services: [configured("a", "web"), configured("b", "external", { hostname: "b.example.com" })],
    };
    const { faults } = decideEnvironmentPlan(ENVIRONMENT, services, wanted, 2);
    assert.deepEqual(
      faults.map(({ path, code }) => `${path} ${code}`),
      [
        "/environments/2/region CANNOT_CHANGE",
        "/environments/2/services/0/type CANNOT_CHANGE",
        "/environments/2/services/1/hostname CANNOT_CHANGE",
      ],
    );
  });
});
