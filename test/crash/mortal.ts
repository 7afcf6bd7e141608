import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { cleanEnv } from "../helpers/service-process.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** Characters that are kept of what a process wrote. */
const LAST_WORDS = 8_000;

/** A process that is killed and started again, always with the same settings. */
export type Mortal = {
  readonly name: string;
  /** Ends it by SIGKILL, at once and for sure; resolves when it is gone. Safe when it is down. */
  kill(): Promise<void>;
  /** Ends it by SIGTERM, which lets it finish. */
  end(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it serves, or was killed before. */
  start(): Promise<void>;
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
  const note = (chunk: string): void => {
    all = (all + chunk).slice(-LAST_WORDS);
  };
  async function endBy(signal: NodeJS.Signals): Promise<void> {
    const dying = child;
    child = null;
    if (dying === null || dying.exitCode !== null || dying.signalCode !== null) return;
    const gone = once(dying, "exit");
    dying.kill(signal);
    await gone;
  }
  return {
    name,
    kill: () => endBy("SIGKILL"),
    end: () => endBy("SIGTERM"),
    signal: (signal) => void child?.kill(signal),
    async start() {
      const born = spawn(process.execPath, args, {
        cwd: ROOT,
        env: cleanEnv(env),
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = born;
      let text = "";
      born.stdout.setEncoding("utf8").on("data", note);
      await new Promise<void>((resolve, reject) => {
        born.stderr.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          note(chunk);
          if (serving.test(text)) resolve();
        });
        born.once("exit", (code, signal) => {
          if (signal === "SIGKILL") resolve();
          else reject(new Error(`${name} ended (${String(code ?? signal)}):\n${text}`));
        });
      });
    },
    lastWords: () => all,
  };
}
