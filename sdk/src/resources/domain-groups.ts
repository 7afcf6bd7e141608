import { DomainGroups as Generated } from "../generated/resources.ts";
import type { DomainCertificateGroup } from "../generated/types.ts";
import { waitFor, type WaitOptions, waitUntilGone } from "../watch.ts";

export class DomainGroups extends Generated {
  /**
   * Waits until the work for a group is done, and domains of it are served.
   * @throws WaitFailedError once none of them can be, or the group is being deleted
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntilActive(
    domainGroupId: string,
    options?: WaitOptions<DomainCertificateGroup>,
  ): Promise<DomainCertificateGroup> {
    return await waitFor(
      `group ${domainGroupId} to be ACTIVE`,
      (held) => this.watch(domainGroupId, held),
      ({ status }) =>
        status === "ACTIVE" ? "reached" : status === "ERROR" || status === "DELETING" ? "failed" : "waiting",
      options,
    );
  }

  /** Waits until a group that is being deleted no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilDeleted(
    domainGroupId: string,
    options?: WaitOptions<DomainCertificateGroup>,
  ): Promise<void> {
    await waitUntilGone(`group ${domainGroupId}`, (held) => this.watch(domainGroupId, held), options);
  }
}
