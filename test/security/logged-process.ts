import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { cleanEnv } from "../helpers/processes/service-process.ts";

const ROOT = path.join(import.meta.dirname, "../..");

export type LoggedProcess = {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything it wrote, to both outputs. */
  readonly output: () => Buffer;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
};

/** The same command, run without a limit to its core dump. */
function dumping(command: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'ulimit -c unlimited && exec "$@"', "sh", ...command];
}

/**
 * The service in a separate process with its most verbose log. Resolves when it serves.
 * @param dumpsTo the working folder of a process that may dump core, of any size
 */
export async function startLogged(
  env: Readonly<Record<string, string>>,
  dumpsTo?: string,
): Promise<LoggedProcess> {
  const service = [process.execPath, path.join(ROOT, "src/main.ts")];
  const [command = "", ...args] = dumpsTo === undefined ? service : dumping(service);
  const child = spawn(command, args, {
    env: cleanEnv({ SLIPWAY_LOG: "trace", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
    ...(dumpsTo === undefined ? {} : { cwd: dumpsTo }),
  });
  const chunks: Buffer[] = [];
  const ended = once(child, "exit");
  const output = () => Buffer.concat(chunks);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const found = /Slipway is at (http:\S+)/.exec(output().toString())?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`The service ended:\n${output().toString()}`)));
  });
  return {
    url,
    process: child,
    output,
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
