import { type Command, ENVIRONMENT, PROJECT, SERVICE } from "../command.ts";
import { findService } from "../lookup.ts";

export const JOBS: readonly Command[] = [
  {
    words: "jobs list",
    says: "List the jobs of a scheduler, with their next and last starts",
    flags: [PROJECT, ENVIRONMENT, SERVICE],
    examples: ["slipway jobs list -p shop -s jobs"],
    async run(context, input) {
      const { id } = await findService(context, input, undefined, ["scheduler"]);
      const found = await context.client.jobs.list(id);
      context.output.list(found.jobs, [
        "id",
        "schedule",
        "timezone",
        { title: "next start", of: ({ nextRuns }) => nextRuns[0]?.local },
        { title: "last", of: ({ lastExecution }) => lastExecution?.status },
        { title: "command", of: ({ command }) => command, isProse: true },
      ]);
    },
  },
  {
    words: "jobs run",
    says: "Run a job of a scheduler now; prints the execution's id",
    more: ["It starts even if the job runs already. A command is readable by everyone who sees the project."],
    arguments: [{ name: "JOB", says: "the job's id in the configuration" }],
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "command", value: "COMMAND", says: "run this command instead of the job's own" },
    ],
    examples: ["slipway jobs run nightly -p shop -s jobs"],
    async run(context, input) {
      const { id } = await findService(context, input, undefined, ["scheduler"]);
      const startCommand = input.text("command");
      const body = startCommand === undefined ? {} : { startCommand };
      const started = await context.client.jobs.run(id, input.argument("JOB"), body);
      context.output.data(started, [started.jobExecutionId]);
      context.output.progress(`To follow it: slipway executions logs ${started.jobExecutionId} --follow`);
    },
  },
];
