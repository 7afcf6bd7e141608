/**
 * Executions: a command runs once, in its own copy of the files of a release. It needs nothing of the release's process,
 * so it continues if the release is superseded or its environment sleeps.
 *
 * | status    | reached when                                                                    |
 * |-----------|---------------------------------------------------------------------------------|
 * | STARTING  | requested; it waits for its turn, or its files are copied                       |
 * | RUNNING   | just before the command starts                                                  |
 * | SUCCEEDED | the command exited with 0                                                       |
 * | FAILED    | any other end; see `failure`. `INTERRUPTED`: the server ended while it ran      |
 * | TIMED_OUT | the time limit passed (time before RUNNING does not count), and nothing is left |
 * | CANCELLED | cancelled by a request, and nothing is left                                     |
 *
 * A restart of the sandbox starts an execution that was STARTING. An execution that was RUNNING is never run again.
 */
import path from "node:path";
import pLimit, { type LimitFunction } from "p-limit";
import { installArtifact } from "../artifacts.ts";
import type { Commands } from "../commands/commands.ts";
import { runToEnd } from "../commands/run-to-end.ts";
import type { LogWriter } from "../logs.ts";
import type { ExecutionInput, ExecutionMessage } from "../../protocol.ts";
import type { StoredExecution, StoredRelease } from "../store.ts";
import type { WorkParts } from "../work-parts.ts";

export type Executions = {
  start(accountId: string, input: ExecutionInput): ExecutionMessage;
  describe(accountId: string, token: string): ExecutionMessage | null;
  find(accountId: string, token: string): StoredExecution | undefined;
  cancel(accountId: string, token: string): void;
  /** Stops it and removes it with its log. */
  forget(execution: StoredExecution): void;
  /** Stops all, if commands are no longer allowed. */
  endRefused(): void;
  resume(): void;
  /** Stops all: a running one has failed, and the others start with the next start of the sandbox. */
  stop(): void;
};

type End = Pick<StoredExecution, "status" | "failure"> & { readonly exitCode?: number | null };

export function createExecutions(
  options: WorkParts & { readonly onEnded: (execution: StoredExecution) => void },
): Executions {
  const { store, folders, logs, background, tuning, now, commands, onEnded } = options;
  /** The abort's reason is its end. */
  const running = new Map<string, AbortController>();
  /** By account. */
  const turns = new Map<string, LimitFunction>();

  const find = (accountId: string, token: string) => store.executions.byToken(accountId, token);
  const releaseOf = ({ accountId, input }: Pick<StoredExecution, "accountId" | "input">) =>
    store.releases.byToken(accountId, input.release);

  function end(id: string, { exitCode = null, ...how }: End): void {
    const execution = store.executions.get(id);
    if (execution === undefined || execution.endedAt !== null) return;
    const ended = { ...execution, ...how, exitCode, endedAt: now() };
    store.executions.put(ended);
    onEnded(ended);
  }

  async function runCommand(
    execution: StoredExecution,
    release: StoredRelease,
    log: LogWriter,
    signal: AbortSignal,
  ): Promise<End> {
    const { id, accountId, artifact, input } = execution;
    const { command, size, timeLimitSeconds } = input;
    const { workload } = release.input;
    const root = folders.executionOf(id);
    const app = await installArtifact(options, { accountId, artifact, root });
    const folder = path.join(app, workload.type === "static" ? "" : (workload.basePath ?? ""));
    const run = {
      start: (to: Pick<Parameters<Commands["start"]>[0], "env" | "onOutput">) =>
        commands.start({ ...to, accountId, root, folder, command, limits: size }),
      variables: () => options.resolveVariables(accountId, release.input),
      log,
      note: `Running: ${command}`,
      limitMs: timeLimitSeconds * 1_000,
      stopGraceMs: tuning.stopGraceMs,
      onStart: () => store.executions.put({ ...execution, status: "RUNNING", startedAt: now() }),
    };
    const result = await runToEnd(run, signal);
    switch (result.kind) {
      case "refused":
        return failed(result.failure);
      case "stopped":
        return signal.reason as End;
      case "timed-out": {
        const message = `The command did not end within its limit of ${timeLimitSeconds} seconds, and was stopped.`;
        return { status: "TIMED_OUT", failure: { code: "TIMED_OUT", message } };
      }
      case "ended": {
        const { isSuccess, text, exitCode } = result.ending;
        if (isSuccess) return { status: "SUCCEEDED", failure: null, exitCode };
        const message = `The command ${text}; the log says why.`;
        return { ...failed({ code: "COMMAND_FAILED", message }), exitCode };
      }
    }
  }

  async function runNow(id: string, { signal }: AbortController): Promise<void> {
    const execution = store.executions.get(id);
    if (execution === undefined || execution.endedAt !== null) return;
    const log = logs.open(id, "last", tuning.executionLogMaxBytes);
    try {
      const release = releaseOf(execution);
      const refusal = commands.refusal();
      let how: End;
      if (signal.aborted) how = signal.reason as End;
      else if (refusal !== null) how = failed(refusal);
      else if (release === undefined || store.builds.get(execution.artifact)?.hasArtifact !== true)
        how = failed(NO_ARTIFACT);
      else how = await runCommand(execution, release, log, signal);
      // When the sandbox stops, it stays STARTING.
      if (how === STOPPED && store.executions.get(id)?.status !== "RUNNING") return;
      log.note(how.failure?.message ?? "The command ended with exit code 0.");
      end(id, how);
    } catch (error) {
      end(id, failed({ code: "INTERNAL", message: "The server itself failed to run it; see its log." }));
      throw error;
    } finally {
      log.close();
    }
  }

  async function run({ id, accountId }: StoredExecution): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    const inTurn = turns.get(accountId) ?? pLimit(tuning.executionsAtOnce);
    turns.set(accountId, inTurn);
    try {
      await inTurn(() => runNow(id, controller));
    } finally {
      running.delete(id);
      await folders.dropExecution(id);
      if (store.executions.get(id) === undefined) logs.remove(id);
    }
  }
  const begin = (execution: StoredExecution) =>
    background.run(run(execution), "An execution failed unexpectedly.");

  return {
    start(accountId, input) {
      const known = find(accountId, input.token);
      if (known !== undefined) return view(known);
      const release = releaseOf({ accountId, input });
      const isOwn = release?.input.service.serviceId === input.service.serviceId;
      const wasLive = release?.status === "LIVE" || release?.status === "SUPERSEDED";
      const execution: StoredExecution = {
        id: store.newId("execution"),
        accountId,
        input,
        artifact: release?.input.artifact ?? "",
        status: "STARTING",
        exitCode: null,
        failure: null,
        startedAt: null,
        endedAt: null,
      };
      store.executions.put(execution);
      if (isOwn && wasLive) begin(execution);
      else end(execution.id, failed(NOT_LIVE));
      return view(store.executions.get(execution.id) ?? execution);
    },
    describe(accountId, token) {
      const found = find(accountId, token);
      return found === undefined ? null : view(found);
    },
    find,
    cancel(accountId, token) {
      const found = find(accountId, token);
      if (found !== undefined) running.get(found.id)?.abort(CANCELLED);
    },
    forget(execution) {
      store.executions.delete(execution);
      const controller = running.get(execution.id);
      // If it is running, its own end removes its log.
      if (controller === undefined) logs.remove(execution.id);
      else controller.abort(CANCELLED);
    },
    endRefused() {
      const refusal = commands.refusal();
      if (refusal === null) return;
      for (const controller of running.values()) controller.abort(failed(refusal));
    },
    resume() {
      for (const execution of store.executions.values()) {
        if (execution.status === "STARTING") begin(execution);
        if (execution.status !== "RUNNING") continue;
        const log = logs.open(execution.id, "last", tuning.executionLogMaxBytes);
        log.note(STOPPED.failure.message);
        log.close();
        end(execution.id, STOPPED);
      }
    },
    stop() {
      for (const controller of running.values()) controller.abort(STOPPED);
    },
  };
}

function failed(failure: NonNullable<StoredExecution["failure"]>) {
  return { status: "FAILED", failure } as const;
}

const CANCELLED: End = {
  status: "CANCELLED",
  failure: { code: "CANCELLED", message: "The execution was cancelled." },
};
const STOPPED = failed({
  code: "INTERRUPTED",
  message: "The server ended while the command ran. It is not run again: what it did before is not known.",
});
const NOT_LIVE = {
  code: "RELEASE_NOT_LIVE",
  message: "The service has no such live release. Deploy it first.",
};
const NO_ARTIFACT = {
  code: "ARTIFACT_NOT_FOUND",
  message: "The files of the release no longer exist. Deploy the service again.",
};

function view({ input, status, exitCode, failure, startedAt, endedAt }: StoredExecution): ExecutionMessage {
  return { token: input.token, status, exitCode, failure, startedAt, endedAt };
}
