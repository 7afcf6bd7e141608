import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toFiveFields } from "./decide-jobs.ts";
import { findingAt, fileOf, importChecked, WEB } from "./testing-import.ts";

const JOBS = { id: "jobs", name: "Jobs", type: "scheduler", buildType: "nixpacks" };
const AT = "/environments/0/services/0";

function importJobs(jobs: object, service: object = {}) {
  const imported = importChecked(fileOf([{ ...JOBS, jobs, ...service }, WEB]));
  const { environments } = imported.proposal as { environments: { services: { jobs: object }[] }[] };
  return { imported, service: environments[0]?.services[0] ?? assert.fail("no service") };
}

describe("a schedule of AWS", () => {
  for (const [written, expected] of [
    ["0 3 * * ? *", "0 3 * * *"],
    ["cron(30 6 ? * MON-FRI *)", "30 6 * * 1-5"],
    ["0 8 ? * 2,4-6 *", "0 8 * * 1,3-5"],
    ["0/15 * * * ? *", "0-59/15 * * * *"],
    ["*/10 5/2 1 JAN,jul ? *", "*/10 5-23/2 1 1,7 *"],
    ["15 4 * * 1", "15 4 * * 1"],
  ] as const)
    it(`${written} is ${expected}`, () => assert.equal(toFiveFields(written), expected));
});

describe("the jobs of a scheduler", () => {
  it("are imported with their schedules, time zones and limits", () => {
    const { imported, service } = importJobs({
      nightly: {
        schedule: "0 3 * * ? *",
        startCommand: "node nightly.js",
        timezone: "Europe/Berlin",
        timeout: 90,
        memory: 2,
      },
      "in voices": { schedule: "0 6 1 * ? *", startCommand: ["node", "in voices.js"], cpu: 1 },
    });
    assert.deepEqual(service, {
      id: "jobs",
      name: "Jobs",
      type: "scheduler",
      installCommand: "npm install",
      buildCommand: "npm run build --if-present",
      cpu: 1,
      memoryGb: 2,
      jobs: {
        nightly: {
          command: "node nightly.js",
          schedule: "0 3 * * *",
          timezone: "Europe/Berlin",
          timeoutMinutes: 90,
        },
        "in-voices": { command: "node 'in voices.js'", schedule: "0 6 1 * *" },
      },
    });
    assert.deepEqual(
      imported.findings.filter(({ isBlocking }) => isBlocking),
      [],
    );
    const renamed = findingAt(imported, `${AT}/jobs/in voices/schedule`);
    assert.match(renamed.reason, /written as 0 6 1 \* \*\. The job's id is in-voices\./);
    assert.equal(renamed.field, "jobs.in voices.schedule");
  });

  it("have to be completed where Slipway has no such schedule, command or language", () => {
    for (const [schedule, reason] of [
      ["0 3 L * ? *", /has the day "L"; write a number/],
      ["0 3 * * ? 2030", /must have five fields/],
      ["0 3 ? * 2#1 *", /has the weekday "2#1"/],
      ["rate(5 minutes)", /must have five fields/],
    ] as const) {
      const { imported, service } = importJobs({ a: { schedule, startCommand: "node a.js" } });
      const finding = findingAt(imported, `${AT}/jobs/a/schedule`);
      assert.ok(finding.isBlocking, schedule);
      assert.match(finding.reason, reason);
      assert.match(JSON.stringify(service.jobs), /Write the command and the schedule/);
    }
    const { imported } = importJobs({ a: { schedule: "0 3 * * ? *" }, b: 5 });
    assert.ok(findingAt(imported, `${AT}/jobs/a/startCommand`).isBlocking);
    assert.ok(findingAt(imported, `${AT}/jobs/b`).isBlocking);
    const python = importJobs({ a: { schedule: "0 3 * * ? *", startCommand: "python a.py" } });
    assert.ok(findingAt(python.imported, `${AT}/buildType`).isBlocking);
  });

  it("have no secret in the proposal", () => {
    const startCommand = "TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789 node a.js";
    const { imported } = importJobs({ a: { schedule: "0 3 * * ? *", startCommand } });
    assert.ok(findingAt(imported, `${AT}/jobs/a/startCommand`).isBlocking);
    assert.ok(!JSON.stringify(imported).includes("ghp_"));
  });
});
