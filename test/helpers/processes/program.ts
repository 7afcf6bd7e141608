import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import path from "node:path";
import { runsAs } from "./postgres-cluster.ts";

/** A program beside PostgreSQL, which runs as the server's user and is killed and started again. */
export type Program = {
  readonly name: string;
  start(): void;
  /** Sends SIGKILL; resolves when the program has exited. Processes that it started continue. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
};

/** @param folder where it runs and logs */
export function createProgram(
  name: string,
  command: string,
  args: readonly string[],
  folder: string,
): Program {
  let child: ChildProcess | null = null;
  // A run that breaks off must not leave it behind.
  process.once("exit", () => void child?.kill("SIGKILL"));
  return {
    name,
    start() {
      const log = openSync(path.join(folder, `${name}.log`), "a");
      child = spawn(command, args, {
        cwd: folder,
        stdio: ["ignore", log, log],
        // Of its own group, so that a Ctrl-C of the test does not reach it before its turn.
        detached: true,
        env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: folder, LC_ALL: "C.UTF-8" },
        ...runsAs(),
      });
    },
    async kill() {
      const dying = child;
      child = null;
      if (dying === null || dying.exitCode !== null || dying.signalCode !== null) return;
      const gone = once(dying, "exit");
      dying.kill("SIGKILL");
      await gone;
    },
    signal: (signal) => void child?.kill(signal),
  };
}
