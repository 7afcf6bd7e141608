import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { ObservedBuild, ObservedRelease } from "../../cloud/platform.ts";
import { decideRun, type RunStep, type ObservedService, type ServiceStep } from "./decide-run.ts";
import type { ServiceStatus } from "./deployment.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const LIMITS = { buildMs: 60_000, releaseMs: 60_000 };
const LONG_AGO = new Date(NOW.getTime() - 60_001);

function service(
  serviceId: string,
  status: ServiceStatus,
  more: Partial<ObservedService> = {},
): ObservedService {
  const base = { dependsOn: [], linksTo: [], since: null, build: null, release: null };
  return { serviceId, configId: serviceId, status, ...base, ...more };
}
const build = (status: ObservedBuild["status"], more: Partial<ObservedBuild> = {}): ObservedBuild => ({
  id: "build",
  status,
  artifact: status === "SUCCEEDED" ? "artifact" : null,
  failure: status === "FAILED" ? { code: "EXIT", message: "It exited with 1." } : null,
  waitingFor: null,
  startedAt: NOW,
  endedAt: null,
  ...more,
});
const release = (status: ObservedRelease["status"]): ObservedRelease => ({
  token: "token",
  status,
  failure: status === "FAILED" ? { code: "UNHEALTHY", message: "It never answered." } : null,
  url: "http://127.0.0.1:1",
  waitingFor: null,
});

/** The step of each service: its kind, and the error's code if it ends without success. */
function stepsOf(services: readonly ObservedService[], isCancelRequested = false): Record<string, string> {
  const step = decideRun(services, isCancelRequested, LIMITS, NOW);
  assert.equal(step.kind, "services", JSON.stringify(step));
  const word = (one: ServiceStep) =>
    "error" in one ? `${one.kind} ${one.status} ${one.error.code}` : one.kind;
  return Object.fromEntries([...step.steps].map(([id, one]) => [id, word(one)]));
}

describe("the steps of a run", () => {
  const cases: Record<string, [services: readonly ObservedService[], steps: Record<string, string>]> = {
    "all builds begin at once, whatever depends on what": [
      [service("a", "PENDING"), service("b", "PENDING", { dependsOn: ["a"] })],
      { a: "startBuild", b: "startBuild" },
    ],
    "a build that the platform has not heard of is started again": [
      [service("a", "BUILDING", { since: NOW })],
      { a: "startBuild" },
    ],
    "a build that lost its credentials is started again": [
      [service("a", "BUILDING", { since: NOW, build: { ...build("RUNNING"), needsCredentials: true } })],
      { a: "startBuild" },
    ],
    "a build that cannot be asked for is waited for": [
      [service("a", "BUILDING", { since: NOW, build: "unknown" })],
      { a: "wait" },
    ],
    "a build that runs is waited for": [
      [service("a", "BUILDING", { since: NOW, build: build("RUNNING") })],
      { a: "wait" },
    ],
    "a build that runs for too long is stopped": [
      [service("a", "BUILDING", { since: LONG_AGO, build: build("RUNNING") })],
      { a: "stopBuild BUILD_ERROR BUILD_TIMED_OUT" },
    ],
    "a build that cannot be asked for any more is stopped": [
      [service("a", "BUILDING", { since: LONG_AGO, build: "unknown" })],
      { a: "stopBuild BUILD_ERROR BUILD_TIMED_OUT" },
    ],
    "a build that is done is recorded": [
      [service("a", "BUILDING", { since: LONG_AGO, build: build("SUCCEEDED") })],
      { a: "built" },
    ],
    "a build that failed ends with the platform's reason": [
      [service("a", "BUILDING", { since: NOW, build: build("FAILED") })],
      { a: "end BUILD_ERROR EXIT" },
    ],
    "a build without an artifact has failed": [
      [service("a", "BUILDING", { since: NOW, build: build("SUCCEEDED", { artifact: null }) })],
      { a: "end BUILD_ERROR BUILD_SUCCEEDED" },
    ],
    "nothing is released while something is built": [
      [service("a", "INPROGRESS"), service("b", "BUILDING", { since: NOW, build: build("RUNNING") })],
      { b: "wait" },
    ],
    "a build that failed stops the others, and releases nothing": [
      [
        service("a", "BUILD_ERROR"),
        service("b", "BUILDING", { since: NOW, build: build("RUNNING") }),
        service("c", "PENDING"),
        service("d", "INPROGRESS"),
      ],
      {
        b: "stopBuild CANCELLED OTHER_BUILD_FAILED",
        c: "end CANCELLED OTHER_BUILD_FAILED",
        d: "end CANCELLED OTHER_BUILD_FAILED",
      },
    ],
    "what is independent is released side by side, the rest waits": [
      [
        service("a", "INPROGRESS"),
        service("b", "INPROGRESS"),
        service("c", "INPROGRESS", { dependsOn: ["a", "b"] }),
      ],
      { a: "startRelease", b: "startRelease" },
    ],
    "a release comes after all that it depends on": [
      [service("a", "SUCCESS"), service("b", "INPROGRESS", { dependsOn: ["a"] })],
      { b: "startRelease" },
    ],
    "what depends on a failure is not released, what does not is": [
      [service("a", "ERROR"), service("b", "INPROGRESS", { dependsOn: ["a"] }), service("c", "INPROGRESS")],
      { b: "end CANCELLED DEPENDENCY_FAILED", c: "startRelease" },
    ],
    "a link is waited for while there is something else to do": [
      [service("a", "INPROGRESS", { linksTo: ["b"] }), service("b", "INPROGRESS")],
      { a: "waitForLink", b: "startRelease" },
    ],
    "links in a circle hold nothing up": [
      [service("a", "INPROGRESS", { linksTo: ["b"] }), service("b", "INPROGRESS", { linksTo: ["a"] })],
      { a: "startRelease", b: "startRelease" },
    ],
    "a link to a service that waits for this one holds nothing up": [
      [service("a", "INPROGRESS", { linksTo: ["b"] }), service("b", "INPROGRESS", { dependsOn: ["a"] })],
      { a: "startRelease" },
    ],
    "a release that the platform has not heard of is started again": [
      [service("a", "DEPLOYING", { since: NOW })],
      { a: "startRelease" },
    ],
    "a release that is not live in time is stopped": [
      [service("a", "DEPLOYING", { since: LONG_AGO, release: release("STARTING") })],
      { a: "stopRelease ERROR RELEASE_TIMED_OUT" },
    ],
    "a release that went live late is live": [
      [service("a", "DEPLOYING", { since: LONG_AGO, release: release("LIVE") })],
      { a: "released" },
    ],
    "a release that failed ends with the platform's reason": [
      [service("a", "DEPLOYING", { since: NOW, release: release("FAILED") })],
      { a: "end ERROR UNHEALTHY" },
    ],
    "a release that another one took the place of has failed": [
      [service("a", "DEPLOYING", { since: NOW, release: release("SUPERSEDED") })],
      { a: "end ERROR RELEASE_SUPERSEDED" },
    ],
  };
  for (const [name, [services, steps]] of Object.entries(cases)) {
    it(`are such that ${name}`, () => assert.deepEqual(stepsOf(services), steps));
  }

  it("stop everything on request, except what turns out to be live", () => {
    const services = [
      service("a", "PENDING"),
      service("b", "BUILDING", { since: NOW, build: build("RUNNING") }),
      service("c", "INPROGRESS"),
    ];
    assert.deepEqual(stepsOf(services, true), {
      a: "end CANCELLED CANCELLED",
      b: "stopBuild CANCELLED CANCELLED",
      c: "end CANCELLED CANCELLED",
    });
    const releases = [
      service("d", "DEPLOYING", { since: NOW, release: release("STARTING") }),
      service("e", "DEPLOYING", { since: NOW, release: release("LIVE") }),
      service("f", "SUCCESS"),
    ];
    assert.deepEqual(stepsOf(releases, true), { d: "stopRelease CANCELLED CANCELLED", e: "released" });
  });
});

describe("the end of a run", () => {
  const cases: Record<string, [statuses: readonly ServiceStatus[], end: string]> = {
    "is to be finished when all services are live": [["SUCCESS", "SUCCESS"], "finish"],
    "is to be finished when there was nothing to do": [[], "finish"],
    "is a failed release, whatever else there is": [["SUCCESS", "ERROR", "CANCELLED"], "ERROR"],
    "is a failed build when nothing was released": [["BUILD_ERROR", "CANCELLED"], "BUILD_ERROR"],
    "is cancelled, with what had been released": [["SUCCESS", "CANCELLED"], "CANCELLED"],
  };
  for (const [name, [statuses, end]] of Object.entries(cases)) {
    it(name, () => {
      const services = statuses.map((status, index) => service(`s${index}`, status));
      for (const isCancelRequested of [false, true]) {
        const step = decideRun(services, isCancelRequested, LIMITS, NOW);
        assert.equal(step.kind === "end" ? step.status : step.kind, end);
      }
    });
  }

  const reasons: Record<string, [readonly ServiceStatus[], string]> = {
    "nothing that was released": [["CANCELLED", "CANCELLED"], "Cancelled before anything was released."],
    "one service that was released": [
      ["SUCCESS", "CANCELLED"],
      "The service s0 had already been released when the deployment was cancelled. The new releases stay live.",
    ],
    "several services that were released": [
      ["SUCCESS", "CANCELLED", "SUCCESS"],
      "The services s0, s2 had already been released when the deployment was cancelled. The new releases stay live.",
    ],
  };
  for (const [name, [statuses, reason]] of Object.entries(reasons)) {
    it(`that is cancelled reports ${name}`, () => {
      const services = statuses.map((status, index) => service(`s${index}`, status));
      const step = decideRun(services, true, LIMITS, NOW);
      assert.equal(step.kind === "end" && step.error.message, reason);
    });
  }
});

/** Plays a run against a simulated platform until the run ends. */
function play(world: World): { readonly ends: RunStep; readonly services: Playing[] } {
  const services: Playing[] = world.services.map((one, index) => ({
    ...service(`s${index}`, one.hasArtifact ? "INPROGRESS" : "PENDING", {
      // Only on earlier ones, so that there is no circle; links go anywhere.
      dependsOn: one.dependsOn.filter((other) => other < index).map((other) => `s${other}`),
      linksTo: one.linksTo.filter((other) => other < world.services.length).map((other) => `s${other}`),
    }),
    world: one,
    turns: 0,
  }));
  for (let tick = 0; tick < 200; tick += 1) {
    const step = decideRun(services, tick >= world.cancelAt, LIMITS, NOW);
    if (step.kind !== "services") return { ends: step, services };
    for (const [id, one] of step.steps) {
      const target = services.find(({ serviceId }) => serviceId === id);
      assert.ok(target);
      take(target, one, services);
    }
    for (const one of services) moveOn(one);
  }
  assert.fail(`It does not end: ${JSON.stringify(services)}`);
}

type World = {
  readonly cancelAt: number;
  readonly services: readonly {
    readonly hasArtifact: boolean;
    readonly dependsOn: readonly number[];
    readonly linksTo: readonly number[];
    readonly buildTurns: number;
    readonly builds: boolean;
    readonly releaseTurns: number;
    readonly releases: boolean;
  }[];
};
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Playing = Mutable<ObservedService> & { readonly world: World["services"][number]; turns: number };

function take(target: Playing, step: ServiceStep, all: readonly Playing[]): void {
  switch (step.kind) {
    case "startBuild":
      Object.assign(target, { status: "BUILDING", since: NOW, build: build("RUNNING"), turns: 0 });
      return;
    case "startRelease": {
      const before = all.filter(({ serviceId }) => target.dependsOn.includes(serviceId));
      assert.ok(
        before.every(({ status }) => status === "SUCCESS"),
        "dependencies are live",
      );
      assert.ok(
        !all.some(({ status }) => status === "BUILD_ERROR"),
        "nothing is released after a failed build",
      );
      const isBuilding = ({ status }: Playing) => status === "PENDING" || status === "BUILDING";
      assert.ok(!all.some(isBuilding), "all is built");
      Object.assign(target, { status: "DEPLOYING", since: NOW, release: release("STARTING"), turns: 0 });
      return;
    }
    case "built":
      Object.assign(target, { status: "INPROGRESS", build: null });
      return;
    case "released":
      Object.assign(target, { status: "SUCCESS" });
      return;
    case "end":
    case "stopBuild":
    case "stopRelease":
      Object.assign(target, { status: step.status });
      return;
    case "wait":
    case "waitForLink":
  }
}

function moveOn(one: Playing): void {
  one.turns += 1;
  if (one.status === "BUILDING" && one.turns > one.world.buildTurns) {
    one.build = build(one.world.builds ? "SUCCEEDED" : "FAILED");
  }
  if (one.status === "DEPLOYING" && one.turns > one.world.releaseTurns) {
    one.release = release(one.world.releases ? "LIVE" : "FAILED");
  }
}

describe("whatever the services and the platform do, a run", () => {
  const turns = fc.nat({ max: 4 });
  const anyService = fc.record({
    hasArtifact: fc.boolean(),
    dependsOn: fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 3 }),
    linksTo: fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 3 }),
    buildTurns: turns,
    builds: fc.constantFrom(true, true, true, false),
    releaseTurns: turns,
    releases: fc.constantFrom(true, true, true, false),
  });
  const anyWorld = fc.record({
    cancelAt: fc.constantFrom(1_000, 1_000, 0, 3, 6),
    services: fc.array(anyService, { minLength: 1, maxLength: 6 }),
  });

  it("ends, in order, with a reason", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const { ends, services } = play(world);
        const isLive = services.every(({ status }) => status === "SUCCESS");
        assert.equal(ends.kind === "finish", isLive);
        if (world.cancelAt < 1_000) return;
        const isSound = world.services.every((one) => one.releases && (one.hasArtifact || one.builds));
        assert.equal(isLive, isSound, "without a cancel it succeeds if everything works");
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
