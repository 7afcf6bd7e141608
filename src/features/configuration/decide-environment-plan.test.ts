import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfiguredEnvironment, ConfiguredService } from "./configuration.ts";
import { decideEnvironmentPlan, type EnvironmentPlan } from "./decide-environment-plan.ts";
import type { FailedStores } from "../data-stores/data-stores.ts";
import type { Environment, Service } from "../projects/project.ts";
import type { TypedSettings } from "../projects/service-settings.ts";

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
  report: "comment",
  template: null,
  templateId: null,
  isFork: false,
  pullRequest: null,
  deployers: "developer",
  approvers: null,
  approvalHours: null,
  createdAt: AT,
  updatedAt: AT,
};
const CONFIGURED: ConfiguredEnvironment = {
  id: "production",
  name: "Production",
  region: "us-west-2",
  branch: "main",
  trigger: "manual",
  watchPaths: [],
  report: "comment",
  variables: [],
  services: [],
  template: null,
};

const STATIC: TypedSettings = { type: "static", settings: { outputDirectory: "public", dependsOn: [] } };
function web(changed: Partial<Extract<TypedSettings, { type: "web" }>["settings"]> = {}): TypedSettings {
  const size = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };
  const settings = {
    startCommand: "run",
    port: 80,
    ...size,
    healthCheckPath: "/",
    dependsOn: [],
    ...changed,
  };
  return { type: "web", settings };
}
function external(hostname: string): TypedSettings {
  return { type: "external", settings: { hostname, dependsOn: [] } };
}

function configured(id: string, typed: TypedSettings): ConfiguredService {
  return { id, name: id, variables: [], ...typed };
}
function present(id: string, typed: TypedSettings): Service {
  const { organizationId, projectId, id: environmentId } = ENVIRONMENT;
  return {
    organizationId,
    id: `svc_${id}`,
    projectId,
    environmentId,
    configId: id,
    name: id,
    ...typed,
    previewHost: null,
    createdAt: AT,
    updatedAt: AT,
  };
}
const NONE: FailedStores = new Map();
const NOTHING: EnvironmentPlan = { environment: [], created: [], changed: [], removed: [], unchanged: [] };

describe("the plan of an environment", () => {
  const cases: Record<
    string,
    [services: readonly Service[], wanted: readonly ConfiguredService[], plan: Partial<EnvironmentPlan>]
  > = {
    "creates what is new": [[], [configured("a", STATIC)], { created: ["a"] }],
    "removes a service that the configuration no longer has": [
      [present("a", STATIC)],
      [],
      { removed: ["a"] },
    ],
    "leaves what is the same": [[present("a", web())], [configured("a", web())], { unchanged: ["a"] }],
    "names the fields that change, come and go": [
      [present("a", web({ cpu: 1, dependsOn: ["b"] }))],
      [configured("a", web({ port: 81, buildCommand: "make" }))],
      { changed: [{ service: "a", fields: ["buildCommand", "cpu", "dependsOn", "port"] }] },
    ],
    "takes a service of another id for another one": [
      [present("a", STATIC)],
      [configured("b", STATIC)],
      { created: ["b"], removed: ["a"] },
    ],
    "is not misled by names that objects have": [
      [present("constructor", STATIC)],
      [configured("constructor", STATIC)],
      { unchanged: ["constructor"] },
    ],
  };
  for (const [name, [services, wanted, plan]] of Object.entries(cases)) {
    it(name, () => {
      const decided = decideEnvironmentPlan(
        ENVIRONMENT,
        services,
        { ...CONFIGURED, services: wanted },
        0,
        NONE,
      );
      assert.deepEqual(decided, { plan: { ...NOTHING, ...plan }, faults: [] });
    });
  }

  it("names the changed fields of the environment itself", () => {
    const changed = { ...CONFIGURED, name: "Live", branch: "release", trigger: "push" } as const;
    const { plan } = decideEnvironmentPlan(ENVIRONMENT, [], changed, 0, NONE);
    assert.deepEqual(plan.environment, ["name", "branch", "trigger"]);
  });

  it("has a fault, with its place, for everything that cannot change", () => {
    const services = [present("a", STATIC), present("b", external("a.example.com"))];
    const wanted = {
      ...CONFIGURED,
      region: "eu-west-1",
      services: [configured("a", web()), configured("b", external("b.example.com"))],
    };
    const { faults } = decideEnvironmentPlan(ENVIRONMENT, services, wanted, 2, NONE);
    assert.deepEqual(
      faults.map(({ path, code }) => `${path} ${code}`),
      [
        "/environments/2/region CANNOT_CHANGE",
        "/environments/2/services/0/type CANNOT_CHANGE",
        "/environments/2/services/1/hostname CANNOT_CHANGE",
      ],
    );
  });

  it("lets the fields of a data store change only if it could not be created, and its storage if it could not grow", () => {
    const store = (settings: object): TypedSettings => ({
      type: "postgres",
      settings: { dependsOn: [], ...settings },
    });
    const older = { version: "16" };
    const restored = { ...older, snapshot: "snap_1" };
    const failed: FailedStores = new Map([["svc_db", "creation"]]);
    const unchanged: FailedStores = new Map([["svc_db", "change"]]);
    for (const [before, after, failures, isAllowed] of [
      [older, { version: "17" }, NONE, false],
      [older, { version: "17" }, new Map([["svc_other", "creation"]] as const), false],
      [older, { version: "17" }, failed, true],
      [{}, { version: "17" }, failed, true],
      [{ storageGb: 50 }, { storageGb: 20 }, failed, true],
      [{ storageGb: 50 }, { storageGb: 20 }, NONE, false],
      [{ storageGb: 50 }, { storageGb: 20 }, unchanged, true],
      [older, { version: "17" }, unchanged, false],
      [older, restored, unchanged, false],
      [restored, { ...restored, version: "17" }, failed, true],
      [restored, { ...restored, snapshot: "snap_2" }, failed, true],
      [restored, { ...restored, snapshot: "snap_2" }, NONE, false],
      [restored, older, failed, true],
      [older, restored, failed, true],
      [older, restored, NONE, false],
    ] as const) {
      const wanted = { ...CONFIGURED, services: [configured("db", store(after))] };
      const of = [present("db", store(before))];
      const { faults } = decideEnvironmentPlan(ENVIRONMENT, of, wanted, 0, failures);
      const codes = faults.map(({ message }) => message.split(":")[0]);
      assert.deepEqual(codes, isAllowed ? [] : ["REPLACES DATA"], JSON.stringify([before, after]));
    }
  });
});
