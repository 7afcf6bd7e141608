/** The command line as a real process, with a home of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { TABLE } from "../../cli/src/table.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const MAIN = path.join(import.meta.dirname, "../../cli/src/main.ts");

export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one document on stdout. @throws for anything else */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into documents of every shape
  readonly json: () => any;
  /** The lines of stdout, each a document. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly lines: () => any[];
  /** The `error` that stderr ends with. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly error: () => any;
};

export type RunOptions = {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Another folder to be in. */
  readonly cwd?: string;
};

export type Running = {
  /** Resolves when stdout or stderr have this. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  interrupt(): void;
  readonly ended: Promise<Ended>;
};

export type CommandLine = {
  readonly home: string;
  /** A folder to be in. */
  readonly folder: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  start(args: readonly string[], options?: RunOptions): Running;
  /** Words of the commands that ran so far. */
  readonly ran: ReadonlySet<string>;
  dispose(): Promise<void>;
};

/** @param program what to run before the arguments; the sources with this Node unless given */
export async function createCommandLine(
  program: readonly [command: string, ...args: string[]] = [process.execPath, MAIN],
): Promise<CommandLine> {
  const home = await makeTempDir("command-line");
  const folder = path.join(home, "work");
  await mkdir(folder);
  const ran = new Set<string>();
  const running = new Set<() => void>();

  function start(args: readonly string[], options: RunOptions = {}): Running {
    const words = TABLE.commands.map((command) => command.words);
    const found = words.find((one) => args.join(" ").startsWith(`${one} `) || args.join(" ") === one);
    if (found !== undefined) ran.add(found);
    const [command, ...before] = program;
    const child = spawn(command, [...before, ...args], {
      cwd: options.cwd ?? folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = (): void => void child.kill("SIGKILL");
    running.add(kill);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // It may end without reading.
    child.stdin.on("error", () => {});
    child.stdin.end(options.stdin ?? "");
    let isOver = false;
    const ended = once(child, "close").then(([code]): Ended => {
      running.delete(kill);
      isOver = true;
      return {
        code: code as number | null,
        stdout,
        stderr,
        json: () => JSON.parse(stdout),
        lines: () =>
          stdout
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)),
        error: () => JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error,
      };
    });
    return {
      ended,
      interrupt: () => void child.kill("SIGINT"),
      said: async (pattern) =>
        await until(
          () => {
            const said = pattern.exec(stdout) ?? pattern.exec(stderr);
            if (said === null && isOver)
              throw new Error(`It ended without saying ${String(pattern)}:\n${stderr}`);
            return said;
          },
          `${args.join(" ")} says ${String(pattern)}`,
        ),
    };
  }

  return {
    home,
    folder,
    ran,
    start,
    run: async (args, options) => await start(args, options).ended,
    async dispose() {
      for (const kill of running) kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}
