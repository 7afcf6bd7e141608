import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Configuration, ConfiguredEnvironment } from "../configuration/configuration.ts";
import type { DeployTrigger, Environment, Service } from "../projects/project.ts";
import { resolveLink } from "../variables/decide-effective.ts";
import type { EffectiveVariable } from "../variables/env-variable.ts";
import { decideTargets } from "./decide-targets.ts";
import { type DeploymentStatus, NOTHING_WATCHED } from "./deployment.ts";
import { toRuntimeVariables } from "./service-step.ts";
import { sumUp } from "./record.ts";
import { workloadOf } from "./workload.ts";

const AT = new Date(0);

function present(configId: string, branch: string): Environment {
  return {
    organizationId: "org_1",
    id: `env_${configId}`,
    projectId: "proj_1",
    configId,
    name: configId,
    region: "us-west-2",
    branch,
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
}
function configured(id: string, branch: string, trigger: DeployTrigger = "manual"): ConfiguredEnvironment {
  const of = { id, name: id, region: "us-west-2", branch, trigger, report: "comment" } as const;
  return { ...of, watchPaths: [], variables: [], services: [], template: null };
}
const configuration = (...environments: ConfiguredEnvironment[]): Configuration => ({
  variables: [],
  environments,
});

describe("the environments of a deployment", () => {
  const api = { branch: "main", trigger: "api" } as const;
  const targets = (...args: Parameters<typeof decideTargets>) => {
    const { deployed, removed } = decideTargets(...args);
    return [
      ...deployed.map(
        ({ configId, environmentId }) => `${environmentId === null ? "create" : "keep"} ${configId}`,
      ),
      ...removed.map(({ configId }) => `remove ${configId}`),
    ];
  };

  it("are all that follow its branch, new ones too", () => {
    const config = configuration(
      configured("a", "main"),
      configured("b", "main"),
      configured("c", "develop"),
    );
    assert.deepEqual(targets(api, config, [present("a", "main"), present("c", "develop")], []), [
      "keep a",
      "create b",
    ]);
  });
  it("lose the environments that followed its branch and are no longer in the configuration", () => {
    const config = configuration(configured("a", "main"));
    assert.deepEqual(targets(api, config, [present("a", "main"), present("b", "main")], []), [
      "keep a",
      "remove b",
    ]);
  });
  it("are never another branch's, whatever the configuration says about them", () => {
    const config = configuration(configured("a", "main"));
    assert.deepEqual(targets(api, config, [present("a", "main"), present("b", "develop")], []), ["keep a"]);
    const moved = configuration(configured("a", "main"), configured("b", "develop"));
    assert.deepEqual(targets(api, moved, [present("a", "main"), present("b", "main")], []), ["keep a"]);
  });
  it("include an environment that now follows the branch, whatever it followed before", () => {
    assert.deepEqual(targets(api, configuration(configured("a", "main")), [present("a", "develop")], []), [
      "keep a",
    ]);
  });
  it("of a push are the environments that are deployed by pushes", () => {
    const config = configuration(configured("a", "main"), configured("b", "main", "push"));
    const push = { branch: "main", trigger: "push" } as const;
    assert.deepEqual(targets(push, config, [present("a", "main"), present("b", "main")], []), ["keep b"]);
  });
  it("of a rollback are those of the original deployment that still exist", () => {
    const config = configuration(configured("a", "main"), configured("b", "main"), configured("c", "main"));
    const rollback = { branch: "main", trigger: "rollback" } as const;
    const there = [present("a", "main"), present("c", "main"), present("d", "main")];
    assert.deepEqual(targets(rollback, config, there, ["a", "b"]), ["keep a"]);
  });
});

describe("the status of a deployment", () => {
  const cases: Record<string, [runs: readonly DeploymentStatus[], sum: DeploymentStatus]> = {
    "is that of its only run": [["BUILDING"], "BUILDING"],
    "is the furthest while some continue": [["BUILDING", "DEPLOYING", "PENDING"], "DEPLOYING"],
    "is not ended by one run's end": [["SUCCESS", "PENDING"], "INPROGRESS"],
    "is not ended by one run's failure": [["ERROR", "BUILDING"], "BUILDING"],
    "is pending while all wait": [["PENDING", "PENDING"], "PENDING"],
    "waits for an approval when it waits for nothing else": [
      ["SUCCESS", "PENDING_APPROVAL"],
      "PENDING_APPROVAL",
    ],
    "is pending while one waits for its turn": [["PENDING", "PENDING_APPROVAL"], "PENDING"],
    "continues beside a run that waits for an approval": [["BUILDING", "PENDING_APPROVAL"], "BUILDING"],
    "is not ended by a failure beside an approval": [["ERROR", "PENDING_APPROVAL"], "PENDING_APPROVAL"],
    "is a success when all are": [["SUCCESS", "SUCCESS"], "SUCCESS"],
    "is a success where the rest was superseded": [["SUCCESS", "SUPERSEDED"], "SUCCESS"],
    "is superseded when all are": [["SUPERSEDED"], "SUPERSEDED"],
    "is the gravest end": [["SUCCESS", "CANCELLED", "BUILD_ERROR", "ERROR"], "ERROR"],
    "is a failed build before a cancel": [["CANCELLED", "BUILD_ERROR"], "BUILD_ERROR"],
  };
  for (const [name, [statuses, sum]] of Object.entries(cases)) {
    it(name, () => {
      const runs = statuses.map((status) => ({ status, statusReason: status, error: null }));
      assert.equal(sumUp(runs).status, sum);
    });
  }
  it("has the reason of its run", () => {
    const error = { code: "X", message: "why" };
    const sum = sumUp([
      { status: "SUCCESS", statusReason: null, error: null },
      { status: "ERROR", statusReason: "why", error },
    ]);
    assert.deepEqual(sum, { status: "ERROR", statusReason: "why", error });
  });
  it("built nothing only if no run built anything", () => {
    const built = { status: "SUCCESS", statusReason: null, error: null } as const;
    const left = { ...built, statusReason: NOTHING_WATCHED };
    assert.deepEqual(sumUp([left, built]), built);
    assert.deepEqual(sumUp([left, left]), left);
  });
});

describe("the variables of a release", () => {
  const effective = (
    name: string,
    kind: EffectiveVariable["variable"]["kind"],
    more: Partial<EffectiveVariable["variable"]> = {},
    linkedValue: EffectiveVariable["linkedValue"] = null,
  ): EffectiveVariable => ({
    variable: {
      name,
      kind,
      plainValue: null,
      reference: null,
      linkedServiceId: null,
      linkedProperty: null,
      source: "api",
      inPreviews: null,
      scopeId: "svc_1",
      updatedAt: AT,
      from: "service",
      ...more,
    },
    linkedValue,
    linkedService: null,
    storeFailure: null,
  });
  it("are plain values, present values of links, and references of managed values", () => {
    const { variables, unresolved } = toRuntimeVariables([
      effective("A", "plainText", { plainValue: "" }),
      effective("B", "fromService", {}, { kind: "plainText", value: "http://127.0.0.1:1" }),
      effective("C", "parameterStore", { reference: "/p" }),
      effective("D", "fromSecretsManager", { reference: "arn" }),
      effective("E", "fromService"),
      effective(
        "F",
        "fromService",
        {},
        { kind: "joined", parts: ["a", { kind: "fromSecretsManager", reference: "s" }] },
      ),
      effective("G", "fromService", {}, { kind: "withheld" }),
    ]);
    assert.deepEqual(variables, [
      { name: "A", kind: "plainText", value: "" },
      { name: "B", kind: "plainText", value: "http://127.0.0.1:1" },
      { name: "C", kind: "fromParameterStore", reference: "/p" },
      { name: "D", kind: "fromSecretsManager", reference: "arn" },
      { name: "F", kind: "joined", parts: ["a", { kind: "fromSecretsManager", reference: "s" }] },
    ]);
    assert.deepEqual(unresolved, ["E"]);
  });

  const api = {
    ...present("api", "main"),
    environmentId: "env_1",
    previewHost: null,
    type: "web",
    settings: {
      startCommand: "run",
      port: 3000,
      cpu: 0.25,
      memoryGb: 0.5,
      minInstances: 1,
      maxInstances: 1,
      healthCheckPath: "/",
      dependsOn: [],
    },
  } as const;
  const links: Record<
    string,
    [property: string, liveUrl: string | null, host: string | null, value: string | null]
  > = {
    "url of a release is where it answers": [
      "url",
      "http://10.0.0.1:8080",
      "d1.cdn.test",
      "http://10.0.0.1:8080",
    ],
    "host of a release is the host of that": ["host", "http://10.0.0.1:8080", "d1.cdn.test", "10.0.0.1"],
    "port of a release is the port of that": ["port", "http://10.0.0.1:8080", "d1.cdn.test", "8080"],
    "url without a release is the distribution's": ["url", null, "d1.cdn.test", "https://d1.cdn.test"],
    "port without a release is the configured one": ["port", null, "d1.cdn.test", "3000"],
    "url is not known before there is a distribution": ["url", null, null, null],
    "property that the type does not have is none": ["name", "http://10.0.0.1:8080", "d1.cdn.test", null],
  };
  for (const [name, [property, liveUrl, host, value]] of Object.entries(links)) {
    it(`have links whose ${name}`, () =>
      assert.deepEqual(
        resolveLink(api, property, { reader: "web", liveUrl, host, store: null }),
        value === null ? null : { kind: "plainText", value },
      ));
  }

  it("have links that visitors of a static site can use", () => {
    const addresses = {
      reader: "static",
      liveUrl: "http://10.0.0.1:8080",
      host: "d1.cdn.test",
      store: null,
    } as const;
    const valueOf = (service: Service, property: string, host: string | null = addresses.host) =>
      resolveLink(service, property, { ...addresses, host });
    const plain = (value: string) => ({ kind: "plainText", value });
    assert.deepEqual(
      ["url", "host", "port"].map((property) => valueOf(api, property)),
      ["https://d1.cdn.test", "d1.cdn.test", "3000"].map(plain),
    );
    assert.equal(valueOf(api, "url", null), null, "it is not known yet");
    const hidden = { ...api, type: "web-private" } as const;
    assert.deepEqual(valueOf(hidden, "url", null), plain("http://10.0.0.1:8080"), "it has no other address");
  });
});

describe("the workload of a service", () => {
  it("follows its settings; an external service has none", () => {
    assert.deepEqual(
      workloadOf({
        type: "static",
        settings: { outputDirectory: "dist", buildCommand: "make", singlePageApp: true, dependsOn: [] },
      }),
      {
        type: "static",
        buildCommand: "make",
        outputDirectory: "dist",
        singlePageApp: true,
      },
    );
    const size = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 2 };
    const times = { healthCheckIntervalSeconds: 30, healthCheckGracePeriodSeconds: 300 };
    const process = {
      dockerfilePath: "docker/a",
      dockerContext: ".",
      startCommand: "run",
      ...size,
      logRetentionDays: 90,
      autoscaling: { cpuThreshold: 60 },
      dependsOn: [],
    };
    assert.deepEqual(workloadOf({ type: "worker", settings: process }), {
      type: "worker",
      dockerfilePath: "docker/a",
      dockerContext: ".",
      buildCommand: null,
      startCommand: "run",
      logRetentionDays: 90,
      autoscaling: { cpuThreshold: 60 },
      size,
    });
    assert.deepEqual(
      workloadOf({ type: "web", settings: { ...process, port: 80, healthCheckPath: "/", ...times } }),
      {
        type: "web",
        dockerfilePath: "docker/a",
        dockerContext: ".",
        buildCommand: null,
        startCommand: "run",
        port: 80,
        healthCheckPath: "/",
        ...times,
        logRetentionDays: 90,
        autoscaling: { cpuThreshold: 60 },
        size,
      },
    );
    const run = { cpu: 1, memoryGb: 2 };
    assert.deepEqual(
      workloadOf({ type: "worker", settings: { ...size, image: "acme/api:1", dependsOn: [] } }),
      { type: "worker", image: "acme/api:1", buildCommand: null, startCommand: null, size },
    );
    assert.deepEqual(
      workloadOf({ type: "scheduler", settings: { ...run, image: "acme/api:1", jobs: {}, dependsOn: [] } }),
      {
        type: "scheduler",
        image: "acme/api:1",
        buildCommand: null,
        size: { ...run, minInstances: 1, maxInstances: 1 },
      },
    );
    assert.equal(
      workloadOf({ type: "external", settings: { hostname: "a.example.com", dependsOn: [] } }),
      null,
    );
  });
});
