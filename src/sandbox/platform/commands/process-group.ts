/**
 * A command of a repository, as a process group of its own that never outlives this process.
 *
 * Beside the command, its group has a watchdog that waits at a pipe from here. A line on it asks the group to
 * end politely; when this process ends, by `kill -9` too, the pipe breaks and the watchdog kills the whole
 * group. The shell around the command stays until all is over, so that the group's number is never a
 * stranger's. (Numbers recorded on disk and killed at the next start were the alternative: they may have been
 * given to others since, and nobody kills them before that start.) Where the command has a process namespace
 * of its own, everything in it is killed with the namespace, the watchdog's help or not.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import { pause } from "../../../lib/pause.ts";
import { confine, type CommandUser, type Isolation, isWrapped } from "./confine.ts";

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

const READ_ENVIRONMENT = `eval "$(cat <&4)"
exec 4<&-`;

/** What the shell says of signals is no output of the command, and is thrown away. */
const WATCHED_COMMAND = `cd -- "$2" || exit 126
stopping=
trap : HUP INT
trap 'stopping=yes' TERM
{
  trap '' HUP INT TERM
  while read -r _; do kill -TERM 0; done
  kill -KILL 0
} <&3 >/dev/null 2>&1 &
exec 5>&2 2>/dev/null
code=143
if [ -z "$stopping" ]; then
  (exec 2>&5 3<&- 5>&-; exec /bin/sh -c "$1")
  code=$?
fi
if [ -n "$stopping" ]; then
  exec >&- 5>&-
  wait
fi
exit "$code"
`;

/** A process that left the group may hold the output open; it is not waited for beyond this. */
const OUTPUT_PATIENCE_MS = 1_000;

/** Of the programs that wrap a command. */
const WRAPPER_ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };

/** Linux: of one `NAME=value` with its NUL (MAX_ARG_STRLEN), and of all with the usual limit of the stack. */
const MAX_VARIABLE_BYTES = 131_072;
const MAX_ENVIRONMENT_BYTES = 2_000_000;

type Started = {
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  /** The folder of its own that it may write, in which `folder` is. */
  readonly root: string;
  /** Null: as Slipway's own user. */
  readonly user: CommandUser | null;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void;
};

/** Starts `/bin/sh -c <command>` with exactly this environment. Failing to start is an ending like any other. */
export function startProcessGroup(options: Started): ProcessGroup {
  const { onOutput } = options;
  let child: ChildProcess;
  try {
    child = start(options);
  } catch (error) {
    // Some failures of the system's, such as E2BIG for too large an environment, are thrown and not emitted.
    return { ended: Promise.resolve(notStarted(error)), stop: () => Promise.resolve() };
  }
  let hasEnded = false;
  let isStopping = false;
  const grace = Promise.withResolvers<void>();

  const kill = (): void => {
    if (hasEnded || child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };
  const exited = new Promise<Ending>((resolve) => {
    child.once("exit", (code, signal) => resolve(endingOf(code, signal)));
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
  const lifeline = child.stdio[3] as Writable | null | undefined;
  lifeline?.on("error", () => undefined);

  async function end(): Promise<Ending> {
    // What was told to end may outlive the shell that started it. It holds the output while it runs.
    await Promise.race([exited, stopped.promise.then(() => Promise.race([outputEnded, grace.promise]))]);
    kill();
    const ending = await exited;
    const patience = new AbortController();
    await Promise.race([outputEnded, pause(OUTPUT_PATIENCE_MS, patience.signal)]);
    patience.abort();
    hasEnded = true;
    for (const stream of [child.stdout, child.stderr, lifeline]) stream?.destroy();
    return ending;
  }
  const stopped = Promise.withResolvers<void>();
  const ended = end();

  return {
    ended,
    async stop(graceMs) {
      if (graceMs > 0 && !isStopping) lifeline?.write("stop\n");
      isStopping = true;
      stopped.resolve();
      const timer = setTimeout(() => {
        kill();
        grace.resolve();
      }, graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function start({ command, folder, env, isolation, root, user: as }: Started): ChildProcess {
  // Programs of ours that wrap the command must not see its environment, so it comes by a pipe.
  const isEnvPiped = isWrapped(isolation);
  const script = isEnvPiped ? `${READ_ENVIRONMENT}\n${WATCHED_COMMAND}` : WATCHED_COMMAND;
  const { file, args, user } = confine(isolation, { root, user: as }, [
    "/bin/sh",
    "-c",
    script,
    "sh",
    command,
    folder,
  ]);
  if (isEnvPiped) requireSmall(env);
  const child = spawn(file, args, {
    cwd: "/",
    env: isEnvPiped ? WRAPPER_ENV : { ...env },
    detached: true,
    ...(user === null ? {} : user),
    stdio: ["ignore", "pipe", "pipe", "pipe", isEnvPiped ? "pipe" : "ignore"],
  });
  if (isEnvPiped) {
    const pipe = child.stdio[4] as Writable | null | undefined;
    // A wrapper that fails does not read it.
    pipe?.on("error", () => undefined);
    pipe?.end(Object.entries(env).map(exportOf).join(""));
  }
  return child;
}

/** `command`, for some shells end at a variable that they keep for themselves (`UID` of bash). */
function exportOf([name, value]: readonly [string, string]): string {
  return `command export ${name}='${value.replaceAll("'", "'\\''")}' 2>/dev/null || :\n`;
}

function requireSmall(env: Readonly<Record<string, string>>): void {
  const sizes = Object.entries(env).map(([name, value]) => Buffer.byteLength(`${name}=${value}`) + 1);
  const isTooLarge =
    sizes.some((size) => size > MAX_VARIABLE_BYTES) ||
    sizes.reduce((sum, size) => sum + size, 0) > MAX_ENVIRONMENT_BYTES;
  if (isTooLarge) throw Object.assign(new Error("The environment is too large."), { code: "E2BIG" });
}

/** A shell ends with 128 and the number of the signal that ended its command. */
function endingOf(code: number | null, signal: NodeJS.Signals | null): Ending {
  const number = code === null ? 0 : code - 128;
  const name = signal ?? Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  if (name !== undefined) return { isSuccess: false, text: `was ended by ${name}` };
  return { isSuccess: code === 0, text: `ended with exit code ${code}` };
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
