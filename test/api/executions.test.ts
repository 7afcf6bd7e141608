/** Commands that run once in the live release of a service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const WORKER = { id: "worker", type: "worker", startCommand: "exec sleep 86400" };
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const FILES = { "public/index.html": "one", word: "the word\n" };

describe("executions", () => {
  let instance: Instance;
  let admin: ApiClient;
  let worker: string;
  let site: string;
  let environmentId: string;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    ({ admin } = instance);
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
    await push(instance, "runs", withConfig(configOf([WORKER, SITE]), FILES));
    const projectId = await createIacProject(admin, "runs");
    ({ worker = "", site = "" } = await listServices(admin, projectId));
    environmentId = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments[0].id;
    const variables = { plainText: { GREETING: "hello" }, secretsManager: { PASSWORD: "very-secret-word" } };
    assert.equal((await admin.post(`/v1/services/${worker}/env-variables`, variables)).status, 202);
    for (const [service, says] of [
      [worker, /Deploy it first/],
      [site, /Name a web service/],
    ] as const) {
      const early = await run("true", {}, admin, service);
      assertRefused(early, 409, "COMMAND_NOT_RUNNABLE");
      assert.match(early.body.detail, says);
    }
    await ended(admin, await deploy(admin, "runs"));
  });
  after(() => instance.dispose());

  const run = (command: string, more: object = {}, client = admin, serviceId = worker) =>
    client.post(`/v1/services/${serviceId}/runs`, { command, ...more });
  const begin = async (command: string, more: object = {}) => {
    const { status, body, text } = await run(command, more);
    assert.equal(status, 201, text);
    return String(body.id);
  };
  const read = async (id: string) => (await admin.get(`/v1/executions/${id}`)).body;
  const endOf = (id: string) =>
    until(async () => {
      const execution = await read(id);
      return execution.endedAt !== null && execution;
    }, `${id} ends`);
  const printed = async (id: string) => {
    const { body } = await admin.get(`/v1/executions/${id}/logs`);
    return body.lines.map(({ text }: { text: string }) => text).join("\n");
  };
  const eventsOf = async (id: string) => {
    const { body } = await admin.get("/v1/events?types=execution.*&limit=100");
    return body.events.filter(({ data }: { data: { executionId: string } }) => data.executionId === id);
  };

  it("run in the files of the live release with its variables, and hide managed values", async () => {
    const { status, body, headers } = await run('cat word; echo "$GREETING $PASSWORD"');
    assert.equal(status, 201);
    assert.equal(headers.get("location"), `/v1/executions/${body.id}`);
    assert.deepEqual(
      [body.status, body.trigger, body.jobId, body.timeLimitSeconds],
      ["QUEUED", "run", null, 3_600],
    );
    const execution = await endOf(body.id);
    assert.deepEqual([execution.status, execution.exitCode, execution.error], ["SUCCEEDED", 0, null]);
    assert.ok(execution.startedAt >= execution.createdAt && execution.endedAt >= execution.startedAt);
    const text = await printed(body.id);
    assert.match(text, /the word\n/);
    assert.match(text, /hello \*\*\*/);
    assert.doesNotMatch(text + instance.logged(), /very-secret-word/);
    const events = await until(async () => {
      const found = await eventsOf(body.id);
      return found.length === 2 && found;
    }, "both events");
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ["execution.created", "execution.succeeded"],
    );
    assert.doesNotMatch(JSON.stringify(events), /GREETING/);
    const { body: audit } = await admin.get(`/v1/audit-entries?resourceId=${worker}`);
    const entry = audit.auditEntries.find(
      ({ action }: { action: string }) => action === "service.command-run",
    );
    assert.deepEqual(entry.details.after, { executionId: body.id });
  });

  it("are in the place of their service", async () => {
    const id = await begin("true");
    const { status, body } = await admin.get(`/v1/executions/${id}/place`);
    assert.equal(status, 200);
    assert.deepEqual(body, (await admin.get(`/v1/services/${worker}/place`)).body);
    await endOf(id);
  });

  it("that fail have their exit code, and an event says so", async () => {
    const id = await begin("echo the reason >&2; exit 7");
    const execution = await endOf(id);
    assert.deepEqual([execution.status, execution.exitCode], ["FAILED", 7]);
    assert.match(execution.error.message, /exit code 7/);
    const failed = await until(async () => {
      const found = await eventsOf(id);
      return found.find(({ type }: { type: string }) => type === "execution.failed") ?? false;
    }, "the event");
    assert.deepEqual([failed.data.exitCode, failed.data.service], [7, "worker"]);
    const { body } = await admin.get(`/v1/services/${worker}/executions?status=FAILED&order=desc`);
    assert.deepEqual(
      body.executions.map((one: { id: string }) => one.id),
      [id],
    );
  });

  it("are cancelled with everything that they started", async () => {
    const id = await begin("trap '' TERM; (trap '' TERM; sleep 801) & sleep 802; sleep 803");
    await until(async () => (await read(id)).status === "RUNNING", "it runs");
    const { status, body } = await admin.post(`/v1/executions/${id}/cancel`);
    assert.deepEqual([status, body.isCancelRequested], [202, true]);
    assert.equal((await admin.post(`/v1/executions/${id}/cancel`)).status, 202);
    const execution = await endOf(id);
    assert.deepEqual([execution.status, execution.isCancelRequested], ["CANCELLED", false]);
    await until(async () => {
      const found = await eventsOf(id);
      return found.some(({ type }: { type: string }) => type === "execution.cancelled");
    }, "the event");
    assertRefused(await admin.post(`/v1/executions/${id}/cancel`), 409, "EXECUTION_ENDED");
  });

  it("are one for an Idempotency-Key", async () => {
    const again = () =>
      admin.post(`/v1/services/${worker}/runs`, { command: "true" }, { "idempotency-key": "once" });
    const [first, second] = [await again(), await again()];
    assert.equal(first.body.id, second.body.id);
  });

  it("are refused for other services, callers and commands", async () => {
    assertRefused(await run("true", {}, admin, site), 409, "COMMAND_NOT_RUNNABLE");
    assertRefused(await run("  "), 400, "INVALID_REQUEST");
    assertRefused(await run("true", { timeoutMinutes: 0 }), 400, "INVALID_REQUEST");
    const viewer = await createUserClient(admin, "viewer");
    assertRefused(await run("true", {}, viewer), 403, "ROLE_TOO_LOW");
  });

  it("typed by hand are refused where a second person has to approve what runs", async () => {
    const protect = (protection: object) => admin.patch(`/v1/environments/${environmentId}`, { protection });
    const { status, text } = await protect({
      deployers: "developer",
      approval: { approvers: "developer" },
    });
    assert.equal(status, 200, text);
    assertRefused(await run("true"), 409, "APPROVAL_REQUIRED");
    assert.equal((await protect({ deployers: "developer", approval: null })).status, 200);
  });

  it("continue after a restart of Slipway and its sandbox, and never run twice", async () => {
    const id = await begin("echo begin$((1 + 1)); sleep 0.2; echo over");
    await until(async () => (await read(id)).status !== "QUEUED", "it is started");
    instance = await instance.restart();
    ({ admin } = instance);
    const execution = await endOf(id);
    const text = await printed(id);
    assert.ok(["SUCCEEDED", "FAILED"].includes(execution.status), JSON.stringify(execution));
    assert.ok(text.split("begin2").length <= 2, text);
  });
});
