import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");

export type ServiceProcess = {
  readonly url: string;
  readonly process: ChildProcess;
  /** What it wrote to standard error so far. */
  readonly stderr: () => string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
};

/** Environment of a test's own process: nothing of the machine's configuration reaches it. */
export function cleanEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    HOST: "127.0.0.1",
    PORT: "0",
    SLIPWAY_SANDBOX_DNS_PORT: "0",
    SLIPWAY_SANDBOX_EDGE_PORT: "0",
    SLIPWAY_SANDBOX_PACE: "instant",
    SLIPWAY_LOG: "warn",
    ...env,
  };
}

/** The service as an operator runs it, in a process of its own that can be killed. Resolves when it serves. */
export async function startProcess(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [path.join(ROOT, "src/main.ts")], {
    env: cleanEnv(env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  const ended = once(child, "exit").then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null,
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = /Slipway is at (http:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then((how) => reject(new Error(`The service ended (${String(how)}):\n${text}`)));
  });
  return { url, process: child, stderr: () => text, ended };
}
