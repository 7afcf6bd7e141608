/** A command that is to end: before a release, or an execution. */
import { Refusal } from "../../refusal.ts";
import type { LogWriter } from "../logs.ts";
import { type ResolvedVariables, VariableNotFound } from "../variables.ts";
import type { Commands } from "./commands.ts";
import type { Ending } from "./process-group.ts";

export type CommandRun = {
  readonly start: (
    run: Pick<Parameters<Commands["start"]>[0], "env" | "onOutput">,
  ) => ReturnType<Commands["start"]>;
  /** @throws VariableNotFound, Refusal */
  readonly variables: () => Promise<ResolvedVariables>;
  readonly log: LogWriter;
  /** The line of the log before its output. */
  readonly note: string;
  readonly limitMs: number;
  readonly stopGraceMs: number;
  /** Called just before the command starts. */
  readonly onStart?: () => void;
};

type CommandResult =
  /** It was not started. */
  | { readonly kind: "refused"; readonly failure: { readonly code: string; readonly message: string } }
  | { readonly kind: "ended"; readonly ending: Ending }
  | { readonly kind: "timed-out" }
  /** By the signal. */
  | { readonly kind: "stopped" };

/**
 * Runs it until nothing of it is left. What it leaves running is killed with it.
 * @param signal ends it: SIGTERM, then SIGKILL after the grace period
 */
export async function runToEnd(run: CommandRun, signal: AbortSignal): Promise<CommandResult> {
  const { log, limitMs, stopGraceMs } = run;
  let variables: ResolvedVariables;
  try {
    variables = await run.variables();
  } catch (error) {
    if (error instanceof VariableNotFound)
      return { kind: "refused", failure: { code: "VARIABLE_NOT_FOUND", message: error.message } };
    if (error instanceof Refusal)
      return { kind: "refused", failure: { code: error.code, message: error.message } };
    throw error;
  }
  if (signal.aborted) return { kind: "stopped" };
  log.hide(variables.managed);
  log.note(run.note);
  run.onStart?.();
  const group = run.start({ env: variables.env, onOutput: (stream, chunk) => log.write(stream, chunk) });
  const limit = AbortSignal.timeout(limitMs);
  const ends = AbortSignal.any([signal, limit]);
  const stop = () => void group.stop(stopGraceMs);
  ends.addEventListener("abort", stop, { once: true });
  const ending = await group.ended;
  ends.removeEventListener("abort", stop);
  log.flush();
  if (signal.aborted) return { kind: "stopped" };
  return limit.aborted ? { kind: "timed-out" } : { kind: "ended", ending };
}
