import { Variables as Generated } from "../generated/resources.ts";
import type { EnvVariablesRun } from "../generated/types.ts";
import { waitFor, type WaitOptions } from "../watch.ts";

export class Variables extends Generated {
  /**
   * Waits until every value of a run is stored in the cloud account.
   * @param runId of the answer whose `status` is `processing`
   * @throws WaitFailedError if some could not be stored; `last.failedEnvVariables` says which and why
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async wait(
    owner: { readonly environmentId: string } | { readonly serviceId: string },
    runId: string,
    options?: WaitOptions<EnvVariablesRun>,
  ): Promise<EnvVariablesRun> {
    return await waitFor(
      `run ${runId} to store its values`,
      (held) => this.watchRun(owner, { runId }, held),
      ({ isFinished, failedEnvVariables }) => {
        if (!isFinished) return "waiting";
        return Object.keys(failedEnvVariables).length === 0 ? "reached" : "failed";
      },
      options,
    );
  }
}
