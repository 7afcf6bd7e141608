import { Deployments as Generated } from "../generated/resources.ts";
import type { DeploymentDetails, DeploymentStatus } from "../generated/types.ts";
import { waitFor, type WaitOptions } from "../watch.ts";

const ENDED_OTHERWISE: readonly DeploymentStatus[] = ["ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"];

export class Deployments extends Generated {
  /**
   * Waits until a deployment is live.
   * @throws WaitFailedError once it has ended otherwise; `last.error` and `last.services` say why
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async wait(deploymentId: string, options?: WaitOptions<DeploymentDetails>): Promise<DeploymentDetails> {
    return await waitFor(
      `deployment ${deploymentId} to succeed`,
      (held) => this.watch(deploymentId, held),
      ({ status }) =>
        status === "SUCCESS" ? "reached" : ENDED_OTHERWISE.includes(status) ? "failed" : "waiting",
      options,
    );
  }
}
