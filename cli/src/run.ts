/** Runs one command line. */
import { createContext } from "./context.ts";
import { createPrompt } from "./input/prompt.ts";
import { CommandError, EXIT } from "./output/failure.ts";
import { createOutput, type Output } from "./output/output.ts";
import type { Environment } from "./session/credentials.ts";
import type { Command } from "./table/command.ts";
import { type Found, findCommand } from "./table/find.ts";
import { createInput } from "./table/input.ts";
import { parseInput } from "./table/parse.ts";

export type Surroundings = {
  readonly env: Environment;
  readonly release: string;
  /** Commands of the server's own program, if this is a checkout of it. */
  readonly operator: readonly (readonly [words: string, says: string])[];
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
  let output = createOutput({ out: stdout, err: stderr }, { isJson, isQuiet: false });
  try {
    const found = findCommand(
      args,
      around.operator.map(([words]) => words.split(" ")[0] ?? ""),
    );
    if (found.kind !== "command") return await showHelp(found, around);
    const { command } = found;
    const typed = parseInput(command, found.rest);
    if (typed.flags.has("help")) {
      stdout.write((await import("./table/help.ts")).helpOfCommand(command));
      return 0;
    }
    const input = createInput(typed);
    output = createOutput({ out: stdout, err: stderr }, { isJson, isQuiet: input.isSet("quiet") });
    return await runCommand(command, input, output, around.env);
  } catch (error) {
    return await tellFailure(error, output);
  }
}

async function runCommand(
  command: Command,
  input: ReturnType<typeof createInput>,
  output: Output,
  env: Environment,
): Promise<number> {
  const interrupted = new AbortController();
  let resume: string | null = null;
  const interrupt = (): void => {
    // Once more, and it ends at once.
    process.removeListener("SIGINT", interrupt);
    interrupted.abort();
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
  const context = createContext({ env, output, prompt, stdin, signal, resumeBy, input });
  try {
    const handle = await command.load();
    await handle(context, input);
    return 0;
  } catch (error) {
    if (signal.aborted)
      return await tellFailure(
        new CommandError("Interrupted.", { code: "INTERRUPTED", exitCode: EXIT.INTERRUPTED, hint: resume }),
        output,
      );
    return await tellFailure(error, output, resume);
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

async function showHelp(found: Exclude<Found, { kind: "command" }>, around: Surroundings): Promise<number> {
  if (found.kind === "version") {
    process.stdout.write(`${around.release}\n`);
    return 0;
  }
  const { helpOfAll, helpOfGroup } = await import("./table/help.ts");
  if (found.kind === "root") {
    process.stdout.write(helpOfAll(around.operator));
    return 0;
  }
  if (found.isHelp) {
    process.stdout.write(helpOfGroup(found.word));
    return 0;
  }
  // A word is missing: a script must notice.
  process.stderr.write(helpOfGroup(found.word));
  return EXIT.USAGE;
}

/** @param resume how to come back to work that continues */
async function tellFailure(error: unknown, output: Output, resume: string | null = null): Promise<number> {
  const known = error instanceof CommandError ? error : (await import("./output/explain.ts")).explain(error);
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
