/** The command that a release runs once before its first process, such as the migration of a database. */
import { type CommandRun, runToEnd } from "../commands/run-to-end.ts";
import type { PlatformTuning } from "../tuning.ts";
import type { StartFailure } from "./supervise.ts";

const STOPPED: StartFailure = { code: "PRE_DEPLOY_FAILED", message: "preDeployCommand was stopped." };

/**
 * Runs it in the files of the release. What it leaves running is killed with it.
 * @param signal ends it: SIGTERM, then SIGKILL after the grace period
 * @returns why the release fails; null after a success
 */
export async function runPreDeploy(
  options: Pick<CommandRun, "start" | "variables" | "log"> & {
    readonly command: string;
    readonly tuning: PlatformTuning;
  },
  signal: AbortSignal,
): Promise<StartFailure | null> {
  const { command, log, tuning } = options;
  const { preDeployLimitMs: limitMs, stopGraceMs } = tuning;
  const note = `Running before the release: ${command}`;
  const result = await runToEnd({ ...options, note, limitMs, stopGraceMs }, signal);
  switch (result.kind) {
    case "refused":
      return result.failure;
    case "stopped":
      return STOPPED;
    case "timed-out": {
      const message = `preDeployCommand did not end within ${limitMs / 1_000} s. The log has its output.`;
      return { code: "PRE_DEPLOY_TIMED_OUT", message };
    }
    case "ended": {
      const { isSuccess, text } = result.ending;
      if (!isSuccess)
        return { code: "PRE_DEPLOY_FAILED", message: `preDeployCommand ${text}; the log says why.` };
      log.note("preDeployCommand ended with exit code 0.");
      return null;
    }
  }
}
