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
/** Twice, an hour apart, after all other starts. */
const TWICE = {
  schedule: `${new Date(FIRST).getUTCMinutes()} ${[5, 6]
    .map((hours) => new Date(hour(hours)).getUTCHours())
    .toSorted((a, b) => a - b)
    .join()} * * *`,
  timeoutMinutes: 1_440,
};
const RULES = {
  id: "rules",
  type: "scheduler",
  jobs: {
    forbidding: { ...TWICE, command: "exec sleep 861" },
    queueing: { ...TWICE, command: "exec sleep 862", overlap: "queue" },
    replacing: { ...TWICE, command: "exec sleep 863", overlap: "replace" },
    retrying: { ...TWICE, command: "exit 5", retries: 1 },
    outpaced: { ...TWICE, command: "exit 6", retries: 3 },
    eased: { ...TWICE, command: "exit 7", retries: 3 },
    waking: { ...JOBS.yearly, command: "exit 1" },
  },
};
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const FILES = { "public/index.html": "one", word: "the word\n" };

type Execution = {
  id: string;
  status: string;
  scheduledFor: string;
  attempt: number;
  startedAt: string | null;
  endedAt: string | null;
  error: { message: string } | null;
};

describe("scheduled jobs", () => {
  let instance: Instance;
  let aheadMs = 0;
  let jobs: string;
  let rules: string;
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
    await push(instance, "nightly", withConfig(configOf([SCHEDULER, RULES, SITE]), FILES));
    const projectId = await createIacProject(admin, "nightly");
    ({ jobs = "", rules = "", site = "" } = await listServices(admin, projectId));
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
  const executionsOf = async (jobId: string, serviceId = jobs): Promise<readonly Execution[]> =>
    (await instance.admin.get(`/v1/services/${serviceId}/executions?jobId=${jobId}&limit=100`)).body
      .executions;
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
    const unknown = await run("none");
    assertRefused(unknown, 404, "JOB_NOT_FOUND");
    assert.match(unknown.body.detail, /no job "none"\. It has .*yearly/);
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

  it("overlap as their rule says, and repeat a failure, while their commands run", async () => {
    /** The newest state, oldest start first. */
    const untilSeen = (jobId: string, ...wanted: readonly string[]) =>
      until(
        async () => {
          const all = (await executionsOf(jobId, rules)).toSorted((a, b) =>
            `${a.scheduledFor} ${a.attempt}`.localeCompare(`${b.scheduledFor} ${b.attempt}`),
          );
          const seen = all.map(
            ({ scheduledFor, attempt, status }) =>
              `${scheduledFor === hour(5) ? "first" : "second"} #${attempt} ${status}`,
          );
          return seen.join() === wanted.join() && all;
        },
        `${jobId}: ${wanted.join(", ")}`,
      );
    const reach = async (hours: number, seconds = 1) => {
      aheadMs = Date.parse(hour(hours)) + seconds * 1_000 - Date.now();
      // The end of a failed execution makes the schedule due: the clock of the database did not move.
      await endOf((await run("waking", {}, rules)).body.jobExecutionId);
    };
    await reach(5);
    for (const jobId of ["forbidding", "queueing", "replacing"]) await untilSeen(jobId, "first #1 RUNNING");
    // A repetition that is decided on later would be due when the clock of the database comes there.
    for (const jobId of ["retrying", "outpaced", "eased"]) await untilSeen(jobId, "first #1 FAILED");
    await reach(5, 40);
    for (const jobId of ["retrying", "outpaced", "eased"])
      await untilSeen(jobId, "first #1 FAILED", "first #2 FAILED");
    const failures = async (jobId: string): Promise<readonly string[]> => {
      const type = "job.failed";
      const { events } = (await instance.admin.get(`/v1/events?types=${type}&limit=100`)).body;
      type Failure = { data: { jobId: string; scheduledFor: string; attempt: number; exitCode: number } };
      return events.flatMap(({ data }: Failure) =>
        data.jobId === jobId ? [`${data.scheduledFor} #${data.attempt}: ${data.exitCode}`] : [],
      );
    };
    const untilFailed = async (jobId: string, wanted: string) => {
      const all = await until(async () => {
        const found = await failures(jobId);
        return found.length > 0 && found;
      }, `the failure of ${jobId}`);
      assert.deepEqual(all, [wanted]);
    };
    await untilFailed("retrying", `${hour(5)} #2: 5`);
    assert.deepEqual(await failures("outpaced"), [], "it is repeated until the next start");

    await reach(6);
    await untilSeen("forbidding", "first #1 RUNNING", "second #1 SKIPPED");
    const [queued] = await untilSeen("queueing", "first #1 RUNNING");
    await instance.admin.post(`/v1/executions/${queued?.id}/cancel`);
    const replaced = await untilSeen("replacing", "first #1 CANCELLED", "second #1 RUNNING");
    const followed = await untilSeen("queueing", "first #1 CANCELLED", "second #1 RUNNING");
    for (const [first, second] of [replaced, followed])
      assert.ok((second?.startedAt ?? "") >= (first?.endedAt ?? "~"), "never two at once");
    for (const jobId of ["retrying", "outpaced", "eased"])
      await untilSeen(jobId, "first #1 FAILED", "first #2 FAILED", "second #1 FAILED");
    await untilFailed("outpaced", `${hour(5)} #2: 6`);
    await reach(6, 40);
    await untilSeen("retrying", "first #1 FAILED", "first #2 FAILED", "second #1 FAILED", "second #2 FAILED");
    await untilSeen("eased", "first #1 FAILED", "first #2 FAILED", "second #1 FAILED", "second #2 FAILED");

    // Builds have a limit by the clock that the test moves.
    aheadMs = 0;
    const { retrying, eased, ...others } = RULES.jobs;
    const changed = { ...others, retrying: { ...retrying, retries: 5 }, eased: { ...eased, retries: 0 } };
    const redeploy = async (jobsOfRules: object) => {
      const services = [SCHEDULER, { ...RULES, jobs: jobsOfRules }, SITE];
      await push(instance, "nightly", withConfig(configOf(services), FILES));
      await ended(instance.admin, await deploy(instance.admin, "nightly"));
    };
    await redeploy(changed);
    await until(async () => (await failures("eased")).length === 2, "fewer retries end the repeats");
    await reach(6, 200);
    const attempts = [1, 2, 3].map((attempt) => `second #${attempt} FAILED`);
    await untilSeen("outpaced", "first #1 FAILED", "first #2 FAILED", ...attempts);
    assert.equal((await executionsOf("retrying", rules)).length, 4, "the last attempt stays the last");
    assert.equal((await executionsOf("eased", rules)).length, 4);
    for (const [jobId, exitCode] of [
      ["retrying", 5],
      ["eased", 7],
    ] as const)
      assert.deepEqual(
        (await failures(jobId)).toSorted(),
        [5, 6].map((n) => `${hour(n)} #2: ${exitCode}`),
      );
    // The removal of a job ends its repeats, and reports the failure.
    aheadMs = 0;
    const { outpaced: _removed, ...kept } = changed;
    await redeploy(kept);
    await until(async () => (await failures("outpaced")).length === 2, "its removal ends the repeats");
    assert.deepEqual((await failures("outpaced")).toSorted(), [`${hour(5)} #2: 6`, `${hour(6)} #3: 6`]);
  });

  it("are refused with a wrong schedule or time zone, at their place", async () => {
    const configOfJob = (job: object) =>
      configOf([{ ...SCHEDULER, jobs: { nightly: { ...HOURLY, ...job } } }, SITE]);
    const { body: projects } = await instance.admin.get("/v1/projects");
    const faultsOf = async (config: unknown) => {
      const { body } = await instance.admin.post(`/v1/projects/${projects.projects[0].id}/plan`, { config });
      return JSON.stringify(body);
    };
    for (const [schedule, message] of [
      ["0 0 3 * * *", /it has six/],
      ["0 0 1 JAN *", /write numbers, such as 1 for JAN/],
      ["0 0 30 2 *", /never occurs/],
    ] as const)
      assert.match(await faultsOf(configOfJob({ schedule })), message);
    assert.match(await faultsOf(configOfJob({ timezone: "Mars/Phobos" })), /IANA/);
  });
});
