/** Runs one command line. */
import type { Command, Input, Table } from "./command.ts";
import { createContext } from "./context.ts";
import type { Environment } from "./credentials.ts";
import { explain } from "./explain.ts";
import { CommandError, EXIT, UsageError } from "./failure.ts";
import { findCommand, type Found, usageCodeOf } from "./find.ts";
import { helpOfAll, helpOfCommand, helpOfGroup } from "./help.ts";
import { parseInput } from "./input.ts";
import { createOutput, type Output } from "./output.ts";
import { createPrompt } from "./prompt.ts";
import { TABLE } from "./table.ts";

export type Surroundings = {
  readonly env: Environment;
  readonly release: string;
  /** The operator's commands, and what to print for an error of theirs, if the server is here. */
  readonly operator: { readonly table: Table; readonly explain: (error: unknown) => Promise<string> } | null;
};

/** @returns the exit code. It has printed everything. */
export async function run(args: readonly string[], around: Surroundings): Promise<number> {
  const { stdout, stderr } = process;
  // `| head` has read enough.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  // Needed before the arguments are understood, to say what is wrong with them.
  const end = args.indexOf("--");
  const isJson = (end === -1 ? args : args.slice(0, end)).includes("--json");
  const streams = { out: stdout, err: stderr };
  const output = createOutput(streams, { isJson, isQuiet: false });
  try {
    const table = join(TABLE, around.operator?.table ?? null);
    const found = findCommand(table, args);
    if (found.kind !== "command") return showHelp(found, table, around);
    const { command } = found;
    const input = parseInput(command, found.rest);
    if (input.isSet("help")) {
      stdout.write(helpOfCommand(command));
      return 0;
    }
    if ("operate" in command) return await operate(command, input, around);
    const chosen = createOutput(streams, { isJson, isQuiet: input.isSet("quiet") });
    return await runCommand((context) => command.run(context, input, table), input, chosen, around.env);
  } catch (error) {
    return printFailure(error, output);
  }
}

/** One table of both. The operator's `doctor` takes the place of the users'. */
function join(users: Table, operator: Table | null): Table {
  if (operator === null) return users;
  const isReplaced = ({ words }: Command): boolean => operator.commands.some((own) => own.words === words);
  return {
    commands: [...users.commands.filter((command) => !isReplaced(command)), ...operator.commands],
    groups: [...users.groups, ...operator.groups],
  };
}

async function operate(
  command: Command & { readonly operate: (input: Input) => Promise<void> },
  input: Input,
  { operator }: Surroundings,
): Promise<number> {
  try {
    await command.operate(input);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(error.message, error.hint, EXIT.FAILED);
    if (operator === null) throw error;
    process.stderr.write(`${await operator.explain(error)}\n`);
    // An open database or server would keep the process.
    process.exit(EXIT.FAILED);
  }
}

async function runCommand(
  work: (context: ReturnType<typeof createContext>) => Promise<void>,
  input: Input,
  output: Output,
  env: Environment,
): Promise<number> {
  const interrupted = new AbortController();
  let resume: string | null = null;
  let interruption: (() => Promise<void>) | null = null;
  const interrupt = (): void => {
    // Once more, and it ends at once.
    process.removeListener("SIGINT", interrupt);
    if (interruption === null) interrupted.abort();
    else interruption().catch(() => interrupted.abort());
  };
  process.on("SIGINT", interrupt);
  const { signal } = interrupted;
  const { stdin, stderr } = process;
  const prompt = createPrompt(
    { stdin, stderr },
    { isAllowed: !input.isSet("no-input"), isYes: input.isSet("yes"), signal },
  );
  const resumeBy = (text: string): void => {
    resume = text;
  };
  const interruptBy = (instead: () => Promise<void>): void => {
    interruption = instead;
  };
  const options = { url: input.text("url"), profile: input.text("profile"), isDebug: input.isSet("debug") };
  try {
    await work(createContext({ env, output, prompt, stdin, signal, resumeBy, interruptBy }, options));
    return 0;
  } catch (error) {
    if (!signal.aborted) return printFailure(error, output, resume);
    const hint = { code: "INTERRUPTED", exitCode: EXIT.INTERRUPTED, hint: resume };
    return printFailure(new CommandError("Interrupted.", hint), output);
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

function showHelp(
  found: Exclude<Found, { kind: "command" }>,
  table: Table,
  { release, operator }: Surroundings,
): number {
  const { stdout, stderr } = process;
  if (found.kind === "version") stdout.write(`${release}\n`);
  else if (found.kind === "root") {
    const users = { ...TABLE, commands: table.commands.filter((command) => "run" in command) };
    stdout.write(helpOfAll(users, operator?.table ?? null));
  } else if (found.isHelp) stdout.write(helpOfGroup(table, found.word));
  else {
    // A word is missing: a script must notice.
    stderr.write(helpOfGroup(table, found.word));
    return usageCodeOf(table.commands.filter(({ words }) => words.startsWith(`${found.word} `)));
  }
  return 0;
}

/** @param resume how to come back to work that continues @returns the exit code */
function printFailure(error: unknown, output: Output, resume: string | null = null): number {
  const known = explain(error);
  if (known === null) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (output.isJson) writeError({ code: "INTERNAL", message: text, exitCode: EXIT.FAILED });
    else process.stderr.write(`Internal error of slipway. Please report it:\n${text}\n`);
    return EXIT.FAILED;
  }
  const { code, message, exitCode, details } = known;
  const hint = exitCode === EXIT.PENDING ? (resume ?? known.hint) : known.hint;
  if (output.isJson) writeError({ code, message, exitCode, ...(hint === null ? {} : { hint }), ...details });
  else {
    output.note(`slipway: ${message}`);
    for (const line of hint?.split("\n") ?? []) output.note(line);
  }
  return exitCode;
}

function writeError(error: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${JSON.stringify({ error })}\n`);
}
