/** The number of instances and the caches of a service on AWS, over the whole service's API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { type AwsSlipway, type Project, startSlipway } from "./slipway.ts";

const LONG_MS = 240_000;
const SERVICE = { id: "api", name: "API", type: "web", startCommand: "node server.js", port: 3000 };

describe("a scaled service on aws", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const commit = "2".repeat(40);
  let emulator: Emulator;
  let slipway: AwsSlipway;
  let project: Project;
  before(async () => {
    emulator = await startEmulator({ motoUrl: MOTO_URL ?? "", seed: 31 });
    const started = await startSlipway(emulator);
    slipway = started;
    project = await started.createProject("scaled", [
      { ...SERVICE, maxInstances: 4, autoscaling: { cpuThreshold: 60, requestsPerTarget: 500 } },
    ]);
    emulator.platform.builds.setProgram(commit, { program: "web", word: "scaled" });
    slipway.setHead(commit);
  });
  after(async () => {
    await slipway.stop();
    await emulator.stop();
  });

  const at = (rest: string) => `/v1/services/${project.serviceId}/${rest}`;
  const read = async () => (await slipway.api.get(at("scaling"))).body;
  const scale = (operation: string, count: number) => slipway.api.post(at("scaling"), { operation, count });
  /** What ECS was asked to run, in this order. */
  const asked = () =>
    emulator.platform.instances.asked
      .filter(({ api }) => api === "ecs:UpdateService")
      .map(({ desiredCount }) => desiredCount);
  const countOf = (api: string) => emulator.calls.filter((call) => call.api === api).length;
  const eventsOf = async (type: string) => (await slipway.api.get(`/v1/events?types=${type}`)).body.events;

  test("before its first release it has no instances to change", async () => {
    assertRefused(await scale("set", 2), 409, "SERVICE_NOT_SCALABLE");
  });

  test("its stack scales by the thresholds of the configuration", async () => {
    const { body, text } = await slipway.api.post("/v1/deployments", { repoUrl: project.repoUrl });
    await until(
      async () => (await slipway.api.get(`/v1/deployments/${body.id}`)).body.status === "SUCCESS",
      `the deployment ${text}`,
      LONG_MS,
    );
    const stack = emulator.platform.stacks.of(project.accountId).find(({ name }) => name.includes("-svc-"));
    const policies = Object.values(stack?.now.Resources ?? {})
      .filter(({ Type }) => Type === "AWS::ApplicationAutoScaling::ScalingPolicy")
      .map(({ Properties }) => Properties["PolicyName"]);
    assert.deepEqual(policies, ["cpu", "requests"]);
  });

  test("a client sets, adds and removes instances between the limits", async () => {
    const set = await scale("set", 3);
    assert.equal(set.status, 200, set.text);
    assert.deepEqual(set.body, {
      serviceId: project.serviceId,
      previousDesiredCount: 1,
      newDesiredCount: 3,
      autoscalingEnabled: true,
    });
    const { desiredInstances, minInstances, maxInstances } = await until(async () => {
      const body = await read();
      return body.currentInstances === 3 && body;
    }, "ECS starts them");
    assert.deepEqual(asked(), [3]);
    assert.deepEqual([desiredInstances, minInstances, maxInstances], [3, 1, 4]);
    assert.deepEqual((await scale("add", 1)).body.newDesiredCount, 4);
    const full = await scale("add", 1);
    assertRefused(full, 409, "INSTANCES_OUT_OF_RANGE");
    assert.match(full.body.detail, /would have 5 instances, and its live release has 1 to 4/);
    assert.deepEqual((await scale("remove", 2)).body.newDesiredCount, 2);
    assertRefused(await scale("set", 0), 409, "INSTANCES_OUT_OF_RANGE");
    await until(async () => asked().at(-1) === 2, "ECS is asked for two");
    const events = await until(async () => {
      const found = await eventsOf("service.scaled");
      return found.at(-1)?.data.desiredCount === 2 && found;
    }, "the events");
    assert.deepEqual(events.at(0).data, { service: "api", desiredCount: 3 });
    const { body: audit } = await slipway.api.get(`/v1/audit-entries?resourceId=${project.serviceId}`);
    const changes = audit.auditEntries.filter(
      ({ action }: { action: string }) => action === "service.scaled",
    );
    assert.equal(changes.length, 3);
  });

  test("two requests at once both count", async () => {
    await Promise.all([scale("add", 1), scale("add", 1)]);
    await until(async () => asked().at(-1) === 4, "ECS is asked for four");
    assert.equal((await read()).desiredInstances, 4);
  });

  test("a refusal of the account is shown, and the number stays", async () => {
    const denied = { code: "AccessDeniedException", status: 400 };
    emulator.faults.add({ api: "ecs:UpdateService", kind: denied });
    assert.equal((await scale("set", 2)).status, 200);
    const { problem, desiredInstances } = await until(async () => {
      const body = await read();
      return body.problem !== null && body;
    }, "the problem");
    emulator.faults.clear();
    assert.match(problem, /does not allow ecs:UpdateService. Update the connection's stack/);
    assert.equal(desiredInstances, 4);
    const [failed] = await until(async () => {
      const found = await eventsOf("service.scaling_failed");
      return found.length > 0 && found;
    }, "the event");
    assert.equal(failed.data.error.code, "ACCESS_DENIED");
    assert.equal((await scale("set", 2)).body.previousDesiredCount, 4);
    await until(async () => (await read()).problem === null && asked().at(-1) === 2, "ECS is asked");
  });

  test("a deployment keeps the number", async () => {
    const before = asked().length;
    const { body } = await slipway.api.post(at("restart"));
    await until(
      async () => (await slipway.api.get(`/v1/deployments/${body.id}`)).body.status === "SUCCESS",
      "the restart",
      LONG_MS,
    );
    assert.equal(asked().length, before);
    assert.equal((await read()).desiredInstances, 2);
  });

  const invalidate = async (paths: readonly string[]) => {
    const { status, body, text } = await slipway.api.post(at("cloudfront/invalidation"), { paths });
    assert.equal(status, 200, text);
    return body;
  };
  const untilEnded = (id: string) =>
    until(
      async () => {
        const { body } = await slipway.api.get(`/v1/cloudfront/invalidation/${id}`);
        return body.endedAt !== null && body;
      },
      "the end of the invalidation",
      30_000,
    );

  test("an invalidation removes answers from its distribution once, also after a lost answer", async () => {
    emulator.faults.add({ api: "cloudfront:CreateInvalidation", kind: "lost-response", count: 1 });
    const { message, invalidationId } = await invalidate(["/index.html", "/ü*"]);
    assert.match(message, /has started/);
    const { status, paths, error } = await untilEnded(invalidationId);
    assert.deepEqual([status, error], ["COMPLETED", null]);
    assert.deepEqual(paths, ["/index.html", "/%C3%BC*"]);
    assert.ok(countOf("cloudfront:CreateInvalidation") >= 2);
    const [event] = await until(async () => {
      const found = await eventsOf("service.invalidated");
      return found.length > 0 && found;
    }, "the event");
    assert.deepEqual(event.data, { service: "api", invalidationId, paths: 2 });
  });

  test("an invalidation that the account refuses ends with what to do", async () => {
    emulator.faults.add({
      api: "cloudfront:CreateInvalidation",
      kind: { code: "AccessDenied", status: 403 },
    });
    const { invalidationId } = await invalidate(["/*"]);
    const { status, error } = await untilEnded(invalidationId);
    emulator.faults.clear();
    assert.deepEqual([status, error.code], ["ERROR", "ACCESS_DENIED"]);
    assert.match(
      error.message,
      /does not allow cloudfront:CreateInvalidation. Update the connection's stack/,
    );
    const [event] = await until(async () => {
      const found = await eventsOf("service.invalidation_failed");
      return found.length > 0 && found;
    }, "the event");
    assert.deepEqual([event.data.invalidationId, event.data.error.code], [invalidationId, "ACCESS_DENIED"]);
  });
});
