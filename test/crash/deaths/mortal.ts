import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnv } from "../../helpers/processes/service-process.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Characters that are kept of what a process wrote. */
const LAST_WORDS = 8_000;
/** How many lines about bugs are kept of a process. */
const MOST_DEFECTS = 20;
/** What pino writes of an error. */
const DEFECT = /"level":"?(?:50|error)/;

const STARTS = 10;
const STARTS_APART_MS = 1_000;

/** A process that is killed and started again, always with the same settings. */
export type Mortal = {
  readonly name: string;
  /** Sends SIGKILL, and resolves when the process has exited. Does nothing if it is down. */
  kill(): Promise<void>;
  /** Ends it by SIGTERM, which lets it finish. */
  end(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /**
   * Resolves when it serves, or was killed before. If it exits unasked, it is started again, as a supervisor does:
   * what it needs may be down too.
   */
  start(): Promise<void>;
  /** How long it took to serve, each time it was started, in ms. */
  readonly startsMs: readonly number[];
  /** One entry for each time that it exited unasked after it had served. */
  readonly collapses: readonly string[];
  /** The lines of its log that report a bug, over all its lives. */
  readonly defects: readonly string[];
  /** What it wrote last, over all its lives. */
  lastWords(): string;
};

/** @param args of node, from the project's root; `serving` is what it writes when it serves */
export function createMortal(
  name: string,
  args: readonly string[],
  serving: RegExp,
  env: Readonly<Record<string, string>>,
): Mortal {
  let child: ChildProcess | null = null;
  let all = "";
  const startsMs: number[] = [];
  const collapses: string[] = [];
  const defects: string[] = [];
  const note = (chunk: string): void => {
    all = (all + chunk).slice(-LAST_WORDS);
    if (defects.length >= MOST_DEFECTS) return;
    defects.push(...chunk.split("\n").filter((line) => DEFECT.test(line)));
  };
  async function endBy(signal: NodeJS.Signals): Promise<void> {
    const dying = child;
    child = null;
    if (dying === null || dying.exitCode !== null || dying.signalCode !== null) return;
    const gone = once(dying, "exit");
    dying.kill(signal);
    await gone;
  }
  /** @returns true if it serves, or was killed before; false if it exited unasked */
  function run(): Promise<boolean> {
    const born = spawn(process.execPath, args, {
      cwd: ROOT,
      env: cleanEnv(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = born;
    let text = "";
    let hasServed = false;
    born.stdout.setEncoding("utf8").on("data", note);
    return new Promise((resolve) => {
      born.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        note(chunk);
        if (!serving.test(text)) return;
        hasServed = true;
        resolve(true);
      });
      born.once("exit", (code, signal) => {
        // This end was not requested, by a signal or by `end`.
        if (hasServed && signal === null && child === born)
          collapses.push(`${name} ended unexpectedly (${String(code)}): ${all}`);
        resolve(signal !== null);
      });
    });
  }
  return {
    name,
    kill: () => endBy("SIGKILL"),
    end: () => endBy("SIGTERM"),
    signal: (signal) => void child?.kill(signal),
    startsMs,
    collapses,
    defects,
    async start() {
      const begunMs = performance.now();
      for (let tries = 1; !(await run()); tries += 1) {
        if (tries === STARTS) throw new Error(`${name} does not start:\n${all}`);
        await sleep(STARTS_APART_MS);
      }
      startsMs.push(performance.now() - begunMs);
    },
    lastWords: () => all,
  };
}
