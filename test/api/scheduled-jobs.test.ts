/** Jobs of a scheduler: on their schedule, on request, and after a time without Slipway. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
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

const HOUR_MS = 3_600_000;
/** The first start of hourly jobs is half an hour ahead, so that none is due before the test moves the clock. */
const FIRST = Math.floor(Date.now() / 60_000 + 30) * 60_000;
// The executions of a clock that is hours ahead are not overdue.
const HOURLY = {
  command: "cat word",
  schedule: `${new Date(FIRST).getUTCMinutes()} * * * *`,
  timeoutMinutes: 1_440,
};
const hour = (hours: number) => new Date(FIRST + hours * HOUR_MS).toISOString();
const JOBS = {
  skipping: HOURLY,
  catching: { ...HOURLY, missed: "runOnce" },
  yearly: { command: "exit 3", schedule: "0 0 29 2 *", timezone: "Europe/Berlin", timeoutMinutes: 1_440 },
};
const SCHEDULER = { id: "jobs", type: "scheduler", jobs: JOBS };
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const FILES = { "public/index.html": "one", word: "the word\n" };

type Execution = { id: string; status: string; scheduledFor: string; error: { message: string } | null };

describe("scheduled jobs", () => {
  let instance: Instance;
  let aheadMs = 0;
  let jobs: string;
  let site: string;
  let firstAnswer: Awaited<ReturnType<typeof run>>;
  before(async () => {
    instance = await startInstance({
      clock: { now: () => new Date(Date.now() + aheadMs) },
      tuning: { platform: instantTuning.platform },
    });
    const { admin } = instance;
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
    await push(instance, "nightly", withConfig(configOf([SCHEDULER, SITE]), FILES));
    const projectId = await createIacProject(admin, "nightly");
    ({ jobs = "", site = "" } = await listServices(admin, projectId));
    assert.deepEqual(
      (await list()).map(({ nextRuns }) => nextRuns),
      [[], [], []],
    );
    firstAnswer = await run("skipping");
    await ended(admin, await deploy(admin, "nightly"));
  });
  after(() => instance.dispose());

  const list = async (): Promise<
    readonly {
      readonly id: string;
      readonly nextRuns: readonly { readonly at: string; readonly local: string }[];
      readonly lastExecution: Execution | null;
    }[]
  > => (await instance.admin.get(`/v1/services/${jobs}/jobs`)).body.jobs;
  const run = (jobId: string, body: object = {}, serviceId = jobs) =>
    instance.admin.post(`/v1/services/${serviceId}/job/${jobId}/execution`, body);
  const executionsOf = async (jobId: string): Promise<readonly Execution[]> =>
    (await instance.admin.get(`/v1/services/${jobs}/executions?jobId=${jobId}&limit=100`)).body.executions;
  const endOf = (id: string) =>
    until(async () => {
      const { body } = await instance.admin.get(`/v1/executions/${id}`);
      return body.endedAt !== null && body;
    }, `${id} ends`);

  it("show their settings and next five runs, in UTC and local time", async () => {
    const [, skipping, yearly] = await list();
    assert.deepEqual(
      skipping?.nextRuns.map(({ at }) => at),
      [0, 1, 2, 3, 4].map(hour),
    );
    assert.match(yearly?.nextRuns[0]?.at ?? "", /-02-28T23:00:00.000Z$/);
    assert.match(yearly?.nextRuns[0]?.local ?? "", /-02-29T00:00[+]01:00$/);
    const { nextRuns: _runs, ...settings } = yearly ?? {};
    assert.deepEqual(settings, {
      id: "yearly",
      command: "exit 3",
      schedule: "0 0 29 2 *",
      timezone: "Europe/Berlin",
      timeoutMinutes: 1_440,
      retries: 0,
      overlap: "forbid",
      missed: "skip",
      lastExecution: null,
    });
  });

  it("run on request, with their own command or another one", async () => {
    assertRefused(firstAnswer, 409, "COMMAND_NOT_RUNNABLE");
    const { status, body, headers } = await run("yearly");
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body), ["jobExecutionId"]);
    assert.equal(headers.get("location"), `/v1/executions/${body.jobExecutionId}`);
    const failed = await endOf(body.jobExecutionId);
    assert.deepEqual(
      [failed.status, failed.exitCode, failed.jobId, failed.trigger, failed.scheduledFor],
      ["FAILED", 3, "yearly", "request", null],
    );
    const { body: other } = await run("yearly", { startCommand: "cat word" });
    assert.equal((await endOf(other.jobExecutionId)).status, "SUCCEEDED");
    const { body: log } = await instance.admin.get(`/v1/executions/${other.jobExecutionId}/logs`);
    assert.ok(log.lines.some(({ text }: { text: string }) => text === "the word"));
    assert.equal((await list())[2]?.lastExecution?.id, other.jobExecutionId);
    assertRefused(await run("none"), 404, "JOB_NOT_FOUND");
    assertRefused(await run("skipping", {}, site), 409, "COMMAND_NOT_RUNNABLE");
    const viewer = await createUserClient(instance.admin, "viewer");
    assertRefused(await viewer.post(`/v1/services/${jobs}/job/yearly/execution`, {}), 403, "ROLE_TOO_LOW");
  });

  it("record what was missed while Slipway was down, and catch up at most one", async () => {
    instance = await instance.restart(() => {
      aheadMs = 3 * HOUR_MS;
      return Promise.resolve();
    });
    // The database's own clock did not move: the end of an execution makes the schedule due.
    await endOf((await run("yearly")).body.jobExecutionId);
    const caught = await until(async () => {
      const all = await executionsOf("catching");
      return (
        all.length === 3 && all.every(({ status }) => status === "MISSED" || status === "SUCCEEDED") && all
      );
    }, "the job catches up");
    const shortOf = (all: readonly Execution[]) =>
      all.map(({ status, scheduledFor }) => `${scheduledFor} ${status}`).toSorted();
    assert.deepEqual(shortOf(caught), [`${hour(0)} MISSED`, `${hour(1)} MISSED`, `${hour(2)} SUCCEEDED`]);
    assert.deepEqual(
      shortOf(await executionsOf("skipping")),
      [0, 1, 2].map((hours) => `${hour(hours)} MISSED`),
    );
    const events = await until(async () => {
      const { body } = await instance.admin.get("/v1/events?types=job.missed");
      return body.events.length === 2 && body.events;
    }, "the events");
    assert.deepEqual(
      events
        .filter(({ type }: { type: string }) => type === "job.missed")
        .map(({ data }: { data: object }) => data)
        .toSorted((a: { missed: number }, b: { missed: number }) => a.missed - b.missed),
      [
        { service: "jobs", jobId: "catching", scheduledFor: hour(1), missed: 2 },
        { service: "jobs", jobId: "skipping", scheduledFor: hour(2), missed: 3 },
      ],
    );
  });

  it("start when their time comes, once", async () => {
    aheadMs = FIRST + 3 * HOUR_MS + 1_000 - Date.now();
    await endOf((await run("yearly")).body.jobExecutionId);
    for (const jobId of ["skipping", "catching"]) {
      const due = await until(async () => {
        const all = await executionsOf(jobId);
        return (
          all.find(({ scheduledFor, status }) => scheduledFor === hour(3) && status === "SUCCEEDED") ?? false
        );
      }, `${jobId} starts`);
      assert.equal(due.error, null);
      assert.equal((await executionsOf(jobId)).length, 4);
    }
  });

  it("are refused with a wrong schedule or time zone, at their place", async () => {
    const configOfJob = (job: object) =>
      configOf([{ ...SCHEDULER, jobs: { nightly: { ...HOURLY, ...job } } }, SITE]);
    const { body: projects } = await instance.admin.get("/v1/projects");
    const faultsOf = async (config: unknown) => {
      const { body } = await instance.admin.post(`/v1/projects/${projects.projects[0].id}/plan`, { config });
      return JSON.stringify(body);
    };
    assert.match(await faultsOf(configOfJob({ schedule: "0 0 3 * * *" })), /it has six/);
    assert.match(await faultsOf(configOfJob({ timezone: "Mars/Phobos" })), /IANA/);
  });
});
