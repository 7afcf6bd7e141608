/**
 * `node test/run-tests.ts PROCESSES PATTERN …`: runs test files in that many processes side by side. Each process runs
 * its part of the files one after another, and so loads Slipway once: a process for each file would need two thirds
 * more of the processor. Arguments that begin with `--` are Node's, such as `--test-name-pattern=audit`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";

/**
 * @returns the exit code: 0 if every process succeeded
 * @throws if a pattern matches no file
 */
export async function runTests(
  processes: number,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const options = args.filter((arg) => arg.startsWith("--"));
  const files = filesOf(args.filter((arg) => !arg.startsWith("--")));
  const children = Array.from({ length: Math.min(processes, files.length) }, (_, index) =>
    spawn(
      process.execPath,
      [
        "--test-timeout=600000",
        ...options,
        path.join(import.meta.dirname, "load-tests.ts"),
        ...files.filter((_file, place) => place % processes === index),
      ],
      { stdio: ["ignore", "pipe", "pipe"], env },
    ),
  );
  // The tests hear a Ctrl-C themselves; stay until they have cleared away.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => {
    for (const child of children) child.kill("SIGTERM");
  });
  const ends = children.map(exitCodeOf);
  const outputs = children.map(hold);
  // The first is shown as it runs, and each other one when those before it have ended.
  for (const [index, end] of ends.entries()) {
    outputs[index]?.show();
    await end;
  }
  const codes = await Promise.all(ends);
  return codes.find((code) => code !== 0) ?? 0;
}

function filesOf(patterns: readonly string[]): readonly string[] {
  const found = patterns.map((pattern) => ({ pattern, files: globSync(pattern) }));
  const empty = found.filter(({ files }) => files.length === 0).map(({ pattern }) => pattern);
  if (empty.length > 0) throw new Error(`No test file matches ${empty.join(", ")}.`);
  return [...new Set(found.flatMap(({ files }) => files))].sort();
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** Keeps what a process prints until `show`, and passes it on from then. */
function hold(child: ChildProcess): { show(): void } {
  const held: Buffer[] = [];
  let isShown = false;
  const take = (chunk: Buffer): void => {
    if (isShown) process.stdout.write(chunk);
    else held.push(chunk);
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  return {
    show() {
      isShown = true;
      for (const chunk of held.splice(0)) process.stdout.write(chunk);
    },
  };
}

if (import.meta.main) {
  const [processes, ...args] = process.argv.slice(2);
  process.exitCode = await runTests(Number(processes), args);
}
