/**
 * `node test/run-tests.ts PROCESSES PATTERN …`: runs test files in that many processes side by side. A process runs some
 * files one after another, and so loads Slipway once: a process for each file would need two thirds more of the
 * processor. Arguments that begin with `--` are Node's, such as `--test-name-pattern=audit`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";

/** The files have four times as many parts as processes run at once, because some parts take longer than others. */
const PARTS_EACH = 4;
/** What a part prints before those in front of it have ended. */
const HELD_BYTES = 1 << 30;

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
  const count = Math.min(files.length, processes * PARTS_EACH);
  const parts = Array.from({ length: count }, (_, nth) => ({
    files: files.filter((_file, place) => place % count === nth),
    output: new PassThrough({ highWaterMark: HELD_BYTES }),
  }));
  const running = new Set<ChildProcess>();
  let isStopped = false;
  // The tests hear a Ctrl-C themselves; stay until they have cleared away, and begin no others.
  process.on("SIGINT", () => {
    isStopped = true;
  });
  process.on("SIGTERM", () => {
    isStopped = true;
    for (const child of running) child.kill("SIGTERM");
  });

  async function run(part: (typeof parts)[number]): Promise<number> {
    if (isStopped) {
      part.output.end();
      return 1;
    }
    const loader = path.join(import.meta.dirname, "load-tests.ts");
    const child = spawn(process.execPath, ["--test-timeout=600000", ...options, loader, ...part.files], {
      stdio: ["ignore", "pipe", "pipe"],
      env,
    });
    running.add(child);
    child.stdout.pipe(part.output, { end: false });
    child.stderr.pipe(part.output, { end: false });
    const code = await new Promise<number>((resolve) => {
      child.once("close", (status) => resolve(status ?? 1));
    });
    running.delete(child);
    part.output.end();
    return code;
  }

  const left = parts.values();
  const lane = async (): Promise<boolean> => {
    let succeeded = true;
    for (const part of left) if ((await run(part)) !== 0) succeeded = false;
    return succeeded;
  };
  const lanes = Promise.all(Array.from({ length: processes }, lane));
  for (const { output } of parts) for await (const chunk of output) process.stdout.write(chunk);
  return (await lanes).every((succeeded) => succeeded) ? 0 : 1;
}

function filesOf(patterns: readonly string[]): readonly string[] {
  const found = patterns.map((pattern) => ({ pattern, files: globSync(pattern) }));
  const empty = found.filter(({ files }) => files.length === 0).map(({ pattern }) => pattern);
  if (empty.length > 0) throw new Error(`No test file matches ${empty.join(", ")}.`);
  return [...new Set(found.flatMap(({ files }) => files))].sort();
}

if (import.meta.main) {
  const [processes, ...args] = process.argv.slice(2);
  process.exitCode = await runTests(Number(processes), args);
}
