/**
 * A command of a repository, as a process group of its own that never outlives this process.
 *
 * Beside the command, its group has a watchdog that waits at a pipe from here. When this process ends, by
 * `kill -9` too, the pipe breaks and the watchdog kills the whole group, itself included. It ignores the
 * signals that end a group politely, so that it also keeps the group's number taken: a signal sent from
 * here can never reach a stranger's processes. (Numbers recorded on disk and killed at the next start
 * were the alternative: they may have been given to others since, and nobody kills them before that start.)
 */
import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

export type Ending = {
  readonly isSuccess: boolean;
  /** What happened, as the end of a sentence: `ended with exit code 1`. */
  readonly text: string;
};

export type ProcessGroup = {
  /** When nothing of the group runs any more and its output was read. */
  readonly ended: Promise<Ending>;
  /** Sends SIGTERM, and SIGKILL to what is left after the time of grace. */
  stop(graceMs: number): Promise<void>;
};

const WATCHED_COMMAND = `
trap '' HUP INT TERM
{ read -r _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
trap - HUP INT TERM
exec 3<&-
exec /bin/sh -c "$1"
`;

/** A process that left the group may hold the output open; it is not waited for beyond this. */
const OUTPUT_PATIENCE_MS = 1_000;

/** Starts `/bin/sh -c <command>` with exactly this environment. Failing to start is an ending like any other. */
export function startProcessGroup(options: {
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void;
}): ProcessGroup {
  const { command, folder, env, onOutput } = options;
  let child: ChildProcess;
  try {
    child = spawn("/bin/sh", ["-c", WATCHED_COMMAND, "sh", command], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Some failures of the system's, such as E2BIG for too large an environment, are thrown and not emitted.
    return { ended: Promise.resolve(notStarted(error)), stop: () => Promise.resolve() };
  }
  let hasEnded = false;
  let isStopping = false;
  const grace = Promise.withResolvers<void>();

  const signal = (name: "SIGTERM" | "SIGKILL"): void => {
    if (hasEnded || child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };
  const exited = new Promise<Ending>((resolve) => {
    child.once("exit", (code, signalName) => {
      const text = signalName === null ? `ended with exit code ${code}` : `was ended by ${signalName}`;
      resolve({ isSuccess: code === 0, text });
    });
    child.once("error", (error) => resolve(notStarted(error)));
  });
  const outputs = (["stdout", "stderr"] as const).map((name) => {
    const output = child[name];
    output?.on("data", (chunk: Buffer) => onOutput(name, chunk));
    return new Promise<void>((resolve) => {
      if (output === null) resolve();
      else output.once("close", () => resolve());
    });
  });
  const outputEnded = Promise.all(outputs);
  // Nothing is ever said on it: it breaks with the watchdog.
  const lifeline = child.stdio[3];
  lifeline?.on("error", () => undefined);

  async function end(): Promise<Ending> {
    const ending = await exited;
    // What was told to end may outlive the shell that started it. It holds the output while it runs.
    if (isStopping) await Promise.race([outputEnded, grace.promise]);
    signal("SIGKILL");
    const patience = new AbortController();
    await Promise.race([
      outputEnded,
      sleep(OUTPUT_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    hasEnded = true;
    for (const stream of [child.stdout, child.stderr, lifeline]) stream?.destroy();
    return ending;
  }
  const ended = end();

  return {
    ended,
    async stop(graceMs) {
      isStopping = true;
      if (graceMs > 0) signal("SIGTERM");
      const timer = setTimeout(() => {
        signal("SIGKILL");
        grace.resolve();
      }, graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function notStarted(error: unknown): Ending {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const reason = code === "E2BIG" ? "its environment is too large for the system (E2BIG)" : code;
  return { isSuccess: false, text: `could not be started: ${reason}` };
}

/** ESRCH: no such group; macOS says EPERM where only the dead are left. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM");
}
