/**
 * A command of a repository, in its own process group, which never outlives this process.
 *
 * The group also has a watchdog that reads from a socket to this process. The line `stop` asks the group to
 * end with SIGTERM; `check` asks whether the command runs, which the watchdog reads in `/proc`, and `rest` whether
 * anything else runs in the command's own process namespace. When this process ends, even by `kill -9`, the socket
 * breaks and the watchdog kills the whole group. The shell around the command
 * stays until everything has ended, so that the group's number is not reused. (The alternative was to record numbers
 * on disk and kill the groups at the next start. But the groups would run until then, and a number may belong to
 * another process by then.) If the command has its own process namespace, everything in it is also killed with the
 * namespace.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { constants, homedir } from "node:os";
import { createInterface } from "node:readline";
import type { Duplex, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pause } from "../../../../src/lib/pace/pause.ts";
import { LOWER_PRIORITY } from "../build-priority.ts";
import { coverStray } from "./stray-descriptors.ts";
import type { Limits } from "./podman.ts";
import type { CommandUser } from "./mount.ts";
import { confine, type Isolation, isWrapped, pathsIn } from "./confine.ts";

export type Ending = {
  readonly isSuccess: boolean;
  /** What happened, as the end of a sentence: `ended with exit code 1`. */
  readonly text: string;
  /** As a shell has it: 128 plus the number of a signal that ended the command. Null if the group was killed. */
  readonly exitCode: number | null;
};

export type ProcessGroup = {
  /** Resolves when the command itself is about to run, or has ended; its wrappers may take a while on a busy machine. */
  readonly begun: Promise<void>;
  /**
   * Whether the command runs at this moment, by the answer of its watchdog. Its end is noticed only after the shells
   * around it have ended, which takes a while on a busy machine. Resolves to false at the end of the group.
   */
  isRunning(): Promise<boolean>;
  /** Resolves when nothing of the group runs and all of its output was read. */
  readonly ended: Promise<Ending>;
  /** Sends SIGTERM, then SIGKILL to what still runs after the grace period. */
  stop(graceMs: number): Promise<void>;
};

const READ_ENVIRONMENT = `eval "$(cat <&4)"
exec 4<&-`;

/**
 * The shell's own messages about signals are not output of the command, and are discarded. Its variables have names
 * that no service's variable has.
 */
const WATCHED_COMMAND = `cd -- "$2" || exit 126
slipway_stopping=
trap : HUP INT
trap 'slipway_stopping=yes' TERM
{
  trap '' HUP INT TERM
  while read -r request pid; do
    if [ "$request" = stop ]; then
      kill -TERM 0
      continue
    fi
    asked=/proc/$pid
    own=
    if [ "$request" = rest ]; then
      asked='/proc/[0-9]*'
      read -r self _ < /proc/self/stat
      own=" /proc/1 /proc/$$ /proc/$self "
    fi
    state=
    for at in $asked; do
      case $own in *" $at "*) continue ;; esac
      state=
      while read -r name state _; do
        [ "$name" != State: ] || break
      done < "$at/status"
      case $state in ''|Z|X) ;; *) break ;; esac
    done
    # Without /proc, only the end of the group shows it.
    [ -e /proc/self/status ] || state=unknown
    case $state in
      ''|Z|X) echo ended >&3 ;;
      *) echo running >&3 ;;
    esac
  done
  kill -KILL 0
} <&3 >/dev/null 2>&1 &
exec 5>&2 2>/dev/null
slipway_code=143
if [ -z "$slipway_stopping" ]; then
  (
    read -r slipway_pid _ < /proc/self/stat
    echo "begun \${slipway_pid:-0}" >&3
    unset slipway_pid slipway_stopping slipway_code
    exec 2>&5 3<&- 5>&-
    exec /bin/sh -c "$1"
  )
  slipway_code=$?
fi
if [ -n "$slipway_stopping" ]; then
  exec >&- 5>&-
  wait
fi
exit "$slipway_code"
`;

/** How often a stop asks whether anything still runs in the namespace. */
const REST_MS = 20;
/** A process that left the group may keep the output open. We wait for it this long. */
const OUTPUT_PATIENCE_MS = 1_000;
/** How long the end of a container may take before Podman itself is killed. */
const CONTAINER_PATIENCE_MS = 10_000;

/** The environment of the programs that wrap a command. */
const WRAPPER_ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };

/** Linux: the limit of one `NAME=value` with its NUL (MAX_ARG_STRLEN), and of all with the usual stack limit. */
const MAX_VARIABLE_BYTES = 131_072;
const MAX_ENVIRONMENT_BYTES = 2_000_000;

export type CommandStart = {
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder that the command may write to; contains `folder`. */
  readonly root: string;
  /** Of memory and processor; only containers have them. */
  readonly limits: Limits | null;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void;
};

type Started = CommandStart & {
  readonly isolation: Isolation;
  /** Null: runs as Slipway's own user. */
  readonly user: CommandUser | null;
};

/** Starts `/bin/sh -c <command>` with exactly this environment. A failed start is an ending like any other. */
export function startProcessGroup(options: Started): ProcessGroup {
  const { onOutput, isolation } = options;
  let child: ChildProcess;
  try {
    child = start(options);
  } catch (error) {
    // Some system errors are thrown instead of emitted, such as E2BIG for an environment that is too large.
    return {
      begun: Promise.resolve(),
      isRunning: () => Promise.resolve(false),
      ended: Promise.resolve(notStarted(error)),
      stop: () => Promise.resolve(),
    };
  }
  let hasEnded = false;
  let isStopping = false;
  const grace = Promise.withResolvers<void>();

  const kill = (): void => {
    if (hasEnded || child.pid === undefined) return;
    if (isolation.kind !== "podman") return killGroup(child.pid);
    // The container is not in the group. Its watchdog ends it, and then Podman ends.
    lifeline.destroy();
    setTimeout(() => {
      if (!hasEnded && child.pid !== undefined) killGroup(child.pid);
    }, CONTAINER_PATIENCE_MS).unref();
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
  // A socket, for requests and answers. It breaks with the watchdog.
  const lifeline = child.stdio[3] as Duplex;
  lifeline.on("error", () => undefined);
  const begun = Promise.withResolvers<void>();
  const questions: ((isRunning: boolean) => void)[] = [];
  let pid = "";
  const reports = createInterface({ input: lifeline });
  // It repeats the errors of its input.
  reports.on("error", () => undefined);
  reports.on("line", (line) => {
    const [word, value = ""] = line.split(" ");
    if (word !== "begun") return questions.shift()?.(word === "running");
    pid = value;
    begun.resolve();
  });

  const ask = (question: string): Promise<boolean> =>
    new Promise((resolve) => {
      if (hasEnded) return resolve(false);
      questions.push(resolve);
      lifeline.write(`${question}\n`);
    });

  /** Processes that were asked to end may outlive their shell. Resolves when none of them is left. */
  async function rest(): Promise<void> {
    // They keep the output open while they run. So do the programs that wrap them, for longer.
    if (!isWrapped(isolation)) return void (await outputEnded);
    while (await ask("rest")) await sleep(REST_MS);
  }
  async function end(): Promise<Ending> {
    await Promise.race([exited, stopped.promise.then(() => Promise.race([rest(), grace.promise]))]);
    kill();
    const ending = await exited;
    const patience = new AbortController();
    await Promise.race([outputEnded, pause(OUTPUT_PATIENCE_MS, patience.signal)]);
    patience.abort();
    hasEnded = true;
    reports.close();
    for (const stream of [child.stdout, child.stderr, lifeline]) stream?.destroy();
    begun.resolve();
    for (const answer of questions) answer(false);
    return ending;
  }
  const stopped = Promise.withResolvers<void>();
  const ended = end();

  return {
    begun: begun.promise,
    isRunning() {
      return pid === "" ? Promise.resolve(false) : ask(`check ${pid}`);
    },
    ended,
    async stop(graceMs) {
      if (graceMs > 0 && !isStopping) lifeline.write("stop\n");
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

function start({ command, folder, env, isolation, root, user: as, limits }: Started): ChildProcess {
  // The programs that wrap the command must not see its environment, so it is sent through a pipe.
  const isEnvPiped = isWrapped(isolation);
  const script = [
    // Builds have no limits. From outside it would come late: the programs that wrap the command start others at once.
    ...(limits === null ? [LOWER_PRIORITY] : []),
    ...(isEnvPiped ? [READ_ENVIRONMENT] : []),
    WATCHED_COMMAND,
  ].join("\n");
  const { file, args, user } = confine(isolation, { root, folder, user: as, limits }, [
    "/bin/sh",
    "-c",
    script,
    "sh",
    command,
    pathsIn(isolation, { root, folder }).folder,
  ]);
  if (isEnvPiped) requireSmall(env);
  const child = coverStray(isolation.strayDescriptors, isEnvPiped ? 5 : 4, (covered) =>
    spawn(file, args, {
      cwd: "/",
      env: isEnvPiped ? wrapperEnv(isolation) : { ...env },
      detached: true,
      ...(user === null ? {} : user),
      stdio: ["ignore", "pipe", "pipe", "pipe", ...(isEnvPiped ? ["pipe" as const] : []), ...covered],
    }),
  );
  if (isEnvPiped) {
    const pipe = child.stdio[4] as Writable | null | undefined;
    // A wrapper that fails does not read the pipe.
    pipe?.on("error", () => undefined);
    pipe?.end(Object.entries(env).map(exportOf).join(""));
  }
  return child;
}

/** Uses `command`, because some shells exit at a variable that they reserve (`UID` in bash). */
function exportOf([name, value]: readonly [string, string]): string {
  return `command export ${name}='${value.replaceAll("'", "'\\''")}' 2>/dev/null || :\n`;
}

function wrapperEnv({ kind }: Isolation): Record<string, string> {
  if (kind !== "podman") return WRAPPER_ENV;
  // Podman without root keeps its containers there.
  return { ...WRAPPER_ENV, HOME: homedir() };
}

function requireSmall(env: Readonly<Record<string, string>>): void {
  const sizes = Object.entries(env).map(([name, value]) => Buffer.byteLength(`${name}=${value}`) + 1);
  const isTooLarge =
    sizes.some((size) => size > MAX_VARIABLE_BYTES) ||
    sizes.reduce((sum, size) => sum + size, 0) > MAX_ENVIRONMENT_BYTES;
  if (isTooLarge) throw Object.assign(new Error("The environment is too large."), { code: "E2BIG" });
}

/** A shell exits with 128 plus the number of the signal that ended its command. */
function endingOf(code: number | null, signal: NodeJS.Signals | null): Ending {
  const number = code === null ? 0 : code - 128;
  const name = signal ?? Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  if (name !== undefined) return { isSuccess: false, text: `was ended by ${name}`, exitCode: code };
  return { isSuccess: code === 0, text: `ended with exit code ${code}`, exitCode: code };
}

function notStarted(error: unknown): Ending {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const reason = code === "E2BIG" ? "its environment is too large for the system (E2BIG)" : code;
  return { isSuccess: false, text: `could not be started: ${reason}`, exitCode: null };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** ESRCH: no such group. macOS returns EPERM if only dead processes are left. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM");
}
