import { AwsAccounts as Generated } from "../generated/resources.ts";
import type { AwsAccount } from "../generated/types.ts";
import { waitFor, type WaitOptions, waitUntilGone } from "../watch.ts";

export class AwsAccounts extends Generated {
  /** Waits until the role of a cloud account was verified. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilConnected(awsAccountId: string, options?: WaitOptions<AwsAccount>): Promise<AwsAccount> {
    return await waitFor(
      `cloud account ${awsAccountId} to be connected`,
      (held) => this.watch(awsAccountId, held),
      ({ status }) => (status === "CONNECTED" ? "reached" : "waiting"),
      options,
    );
  }

  /**
   * Waits until a connection that is being deleted no longer exists.
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntilDeleted(awsAccountId: string, options?: WaitOptions<AwsAccount>): Promise<void> {
    await waitUntilGone(`cloud account ${awsAccountId}`, (held) => this.watch(awsAccountId, held), options);
  }
}
