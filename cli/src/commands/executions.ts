/** Commands that run once in the live release of a service. */
import type { Execution, ExecutionStatus, ServiceLogLine } from "../../../sdk/src/index.ts";
import { type Argument, type Command, ENVIRONMENT, LIMITS, PROJECT, WAITING } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError, endedBadly, EXIT } from "../failure.ts";
import { findService, PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { firstOf, waiting } from "../wait.ts";

const SERVICE: Argument = { name: "SERVICE", says: "the service, by name or id" };
const EXECUTION: Argument = { name: "ID", says: "the execution" };
const ID_EXAMPLE = "exec_01kahy9f5h3x6b2s8e4v7w1qzt";
const STATUSES: readonly ExecutionStatus[] = [
  "QUEUED",
  "STARTING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
  "SKIPPED",
  "MISSED",
];

export const EXECUTIONS: readonly Command[] = [
  {
    words: "run",
    says: "Run a command once in the live release of a service",
    more: [
      "It runs in a copy of the release with the service's variables, while the service continues to run.",
      "One argument is a line for the shell; several are the words of the command. Everyone who sees the project can",
      "read it: it must not contain a secret. Its output comes as it is printed, and slipway ends with its exit code,",
      "or with 3 if it did not start, was cancelled or was stopped at its time limit. Ctrl-C cancels it.",
    ],
    arguments: [SERVICE, { name: "COMMAND", says: "the command, after --", many: true }],
    flags: [
      PROJECT,
      ENVIRONMENT,
      { name: "timeout", value: "MINUTES", says: "stop the command after this many minutes (default: 60)" },
      { name: "detach", says: "only start it, and print the execution's id" },
    ],
    streams: true,
    examples: ["slipway run web -p shop -- node migrate.js", "slipway run web -- 'env | sort'"],
    async run(context, input) {
      const { client, output, resumeBy } = context;
      const timeoutMinutes = input.number("timeout");
      const { id: serviceId } = await findService(context, input, input.argument("SERVICE"));
      resumeBy(`Whether it was started: slipway executions list ${serviceId}`);
      const command = commandOf(input.all("COMMAND"));
      const started = await client.executions.start(serviceId, { command, timeoutMinutes });
      const { id } = started;
      if (input.isSet("detach")) {
        output.progress(`To follow it: slipway executions logs ${id} --follow`);
        return output.streamed(started, id);
      }
      output.progress(`${id} ${started.status}`);
      resumeBy(`The command continues. To cancel it: slipway executions cancel ${id}`);
      let isInterrupted = false;
      context.interruptBy(async () => {
        output.note("Cancelling the command. Press Ctrl-C again to leave without waiting for its end.");
        await client.executions.cancel(id);
        isInterrupted = true;
      });
      const ended = await follow(context, id);
      if (isInterrupted && ended.status === "CANCELLED")
        throw new CommandError("Interrupted. The command was cancelled.", {
          code: "INTERRUPTED",
          exitCode: EXIT.INTERRUPTED,
        });
      requireSuccess(ended);
    },
  },
  {
    words: "executions list",
    says: "List the commands that ran in a service, newest first",
    arguments: [SERVICE],
    flags: [
      PROJECT,
      ENVIRONMENT,
      { name: "status", value: "STATUS", choices: STATUSES, says: "only with this status" },
      ...LIMITS,
    ],
    examples: ["slipway executions list web -p shop --status FAILED"],
    async run(context, input) {
      const { id } = await findService(context, input, input.argument("SERVICE"));
      const status = input.text("status") as ExecutionStatus | undefined;
      const found = context.client.executions.list(id, { limit: PAGE, order: "desc", status });
      await printList(context, input, found, [
        "id",
        "status",
        "exitCode",
        { title: "started by", of: ({ jobId, trigger }) => jobId ?? trigger },
        "createdAt",
        { title: "command", of: ({ command }) => command, isProse: true },
      ]);
    },
  },
  {
    words: "executions show",
    says: "Show an execution",
    arguments: [EXECUTION],
    examples: [`slipway executions show ${ID_EXAMPLE}`],
    run: async ({ client, output }, input) => show(output, await client.executions.get(input.argument("ID"))),
  },
  {
    words: "executions logs",
    says: "Print the output of a command",
    arguments: [EXECUTION],
    flags: [{ name: "follow", short: "f", says: "follow the output until the command has ended" }],
    streams: true,
    examples: [`slipway executions logs ${ID_EXAMPLE} --follow`],
    async run(context, input) {
      const { client, output, resumeBy } = context;
      const id = input.argument("ID");
      if (input.isSet("follow")) {
        resumeBy(`The command continues. To follow it again: slipway executions logs ${id} --follow`);
        return requireSuccess(await follow(context, id));
      }
      let cursor: string | undefined;
      for (;;) {
        const { lines, nextCursor } = await client.executions.getLogs(id, { cursor });
        for (const line of lines) printLine(output, line);
        if (lines.length === 0 || nextCursor === cursor) break;
        cursor = nextCursor;
      }
      if ((await client.executions.get(id)).endedAt === null)
        output.progress(`The command continues. To follow it: slipway executions logs ${id} --follow`);
    },
  },
  {
    words: "executions cancel",
    says: "Cancel an execution: stop its command with everything that it started",
    arguments: [EXECUTION],
    flags: WAITING,
    examples: [`slipway executions cancel ${ID_EXAMPLE} --wait`],
    async run(context, input) {
      const { client, output } = context;
      let last = await client.executions.cancel(input.argument("ID"));
      const { id } = last;
      if (input.isSet("wait"))
        last = await waiting(context, input, `slipway executions show ${id}`, (signal) =>
          firstOf(client.executions.watch(id, { signal }), ({ endedAt }) => endedAt !== null),
        );
      show(output, last);
    },
  },
];

/** A line for a shell. */
function commandOf(words: readonly string[]): string {
  const [line = "", ...more] = words;
  if (more.length === 0) return line;
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
}

/** Prints the output of a command as it comes. @returns the execution when it has ended */
async function follow({ client, output }: Context, id: string): Promise<Execution> {
  for await (const event of client.executions.streamLogs(id)) {
    if (event.event === "line") printLine(output, event.data);
  }
  return await client.executions.get(id);
}

/** Only what the command wrote to stdout goes to stdout; in JSON, every line has its stream. */
function printLine(output: Context["output"], line: ServiceLogLine): void {
  if (output.isJson || line.stream === "stdout") output.streamed(line, line.text);
  else if (line.stream === "stderr") output.note(line.text);
  else output.progress(line.text);
}

function show(output: Context["output"], execution: Execution): void {
  const { jobId, trigger, timeLimitSeconds, error } = execution;
  output.item(execution, [
    "id",
    "status",
    "exitCode",
    ["reason", error?.message],
    "command",
    "serviceId",
    "deploymentId",
    ["started by", jobId ?? trigger],
    ["time limit", `${timeLimitSeconds / 60} minutes`],
    "createdAt",
    "startedAt",
    "endedAt",
  ]);
}

/** @throws CommandError with the exit code of the command, or `ENDED_BADLY` without one */
function requireSuccess({ id, status, exitCode, error }: Execution): void {
  if (status === "SUCCEEDED") return;
  if (exitCode === null || exitCode === 0)
    throw endedBadly(`The execution ${id} ended with ${status}.`, error?.message);
  throw new CommandError(`The command ended with exit code ${exitCode}.`, {
    code: "COMMAND_FAILED",
    exitCode,
    hint: null,
    details: { executionId: id },
  });
}
