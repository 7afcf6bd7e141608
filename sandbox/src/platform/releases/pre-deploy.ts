/** The command that a release runs once before its first process, such as the migration of a database. */
import type { Commands } from "../commands/commands.ts";
import type { LogWriter } from "../logs.ts";
import { Refusal } from "../../refusal.ts";
import type { PlatformTuning } from "../tuning.ts";
import { type ResolvedVariables, VariableNotFound } from "../variables.ts";
import type { StartFailure } from "./supervise.ts";

const STOPPED: StartFailure = { code: "PRE_DEPLOY_FAILED", message: "preDeployCommand was stopped." };

/**
 * Runs it in the files of the release. What it leaves running is killed with it.
 * @param signal ends it: SIGTERM, then SIGKILL after the grace period
 * @returns why the release fails; null after a success
 */
export async function runPreDeploy(
  options: {
    readonly command: string;
    readonly start: (
      run: Pick<Parameters<Commands["start"]>[0], "env" | "onOutput">,
    ) => ReturnType<Commands["start"]>;
    /** @throws VariableNotFound, Refusal */
    readonly variables: () => Promise<ResolvedVariables>;
    readonly log: LogWriter;
    readonly tuning: PlatformTuning;
  },
  signal: AbortSignal,
): Promise<StartFailure | null> {
  const { command, log, tuning } = options;
  let variables: ResolvedVariables;
  try {
    variables = await options.variables();
  } catch (error) {
    if (error instanceof VariableNotFound) return { code: "VARIABLE_NOT_FOUND", message: error.message };
    if (error instanceof Refusal) return { code: error.code, message: error.message };
    throw error;
  }
  if (signal.aborted) return STOPPED;
  log.hide(variables.managed);
  log.note(`Running before the release: ${command}`);
  const group = options.start({
    env: variables.env,
    onOutput: (stream, chunk) => log.write(stream, chunk),
  });
  const limit = AbortSignal.timeout(tuning.preDeployLimitMs);
  const ends = AbortSignal.any([signal, limit]);
  const stop = () => void group.stop(tuning.stopGraceMs);
  ends.addEventListener("abort", stop, { once: true });
  const ending = await group.ended;
  ends.removeEventListener("abort", stop);
  log.flush();
  if (signal.aborted) return STOPPED;
  if (limit.aborted) {
    const message = `preDeployCommand did not end within ${tuning.preDeployLimitMs / 1_000} s. The log has its output.`;
    return { code: "PRE_DEPLOY_TIMED_OUT", message };
  }
  if (!ending.isSuccess)
    return { code: "PRE_DEPLOY_FAILED", message: `preDeployCommand ${ending.text}; the log says why.` };
  log.note("preDeployCommand ended with exit code 0.");
  return null;
}
