import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { compileCache } from "../../../src/lib/compile-cache.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

export type ServiceProcess = {
  readonly url: string;
  /** Where it listens itself: not `url` where that is a proxy's. */
  readonly listensAt: string;
  readonly process: ChildProcess;
  /** What it wrote to standard error so far. */
  readonly stderr: () => string;
  /** What it logged so far. */
  readonly stdout: () => string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
};

/** Environment of a test's own process: nothing of the machine's configuration reaches it but Node's compile cache. */
export function cleanEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    ...compileCache(),
    HOST: "127.0.0.1",
    PORT: "0",
    SLIPWAY_SANDBOX_DNS_PORT: "0",
    SLIPWAY_SANDBOX_EDGE_PORT: "0",
    SLIPWAY_SANDBOX_PACE: "instant",
    SLIPWAY_LOG: "warn",
    ...env,
  };
}

/**
 * The service as an operator runs it, in a separate process that can be killed. Resolves when it serves.
 * @param release the folder of another release than this
 */
export async function startProcess(
  env: Readonly<Record<string, string>>,
  release = ROOT,
  options: Pick<Command, "hasSession"> = {},
): Promise<ServiceProcess> {
  return await startCommand({ args: [path.join(release, "bin/slipway.js"), "start"], ...options }, env);
}

/** Another command that starts the service. Resolves when it serves. */
export async function startCommand(
  command: Command,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  return await run(command, env, /Slipway is at (https?:\S+) .*?(?:listening at (http:\S+).*)?\n/);
}

/** `slipway sandbox`, for processes that share one small cloud. Resolves when it serves. */
export async function startSandboxProcess(
  env: Readonly<Record<string, string>>,
  options: Pick<Command, "hasSession"> = {},
): Promise<ServiceProcess> {
  return await run(
    { args: [path.join(ROOT, "bin/slipway.js"), "sandbox"], ...options },
    env,
    /SLIPWAY_SANDBOX_URL=(http:\S+)\n/,
  );
}

/** Of Node if it names no other program; in this folder if in no other. */
type Command = {
  readonly program?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Leads a session of its own, as a service of systemd does: Linux shares the processors between sessions. */
  readonly hasSession?: boolean;
};

async function run(
  { program = process.execPath, args, cwd, hasSession = false }: Command,
  env: Readonly<Record<string, string>>,
  greeting: RegExp,
): Promise<ServiceProcess> {
  const child = spawn(program, args, {
    cwd,
    env: cleanEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasSession,
  });
  // A test that breaks off must not leave it behind.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  let text = "";
  let logged = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    logged += chunk;
  });
  const ended = once(child, "exit").then(([code, signal]) => {
    process.removeListener("exit", kill);
    return (code ?? signal) as number | NodeJS.Signals | null;
  });
  const [, url = "", listensAt = url] = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = greeting.exec(text);
      if (found !== null) resolve(found);
    });
    void ended.then((how) => reject(new Error(`The process ended (${String(how)}):\n${text}`)));
  });
  return { url, listensAt, process: child, stderr: () => text, stdout: () => logged, ended };
}
