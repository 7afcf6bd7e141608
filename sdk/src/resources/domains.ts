import { Domains as Generated } from "../generated/resources.ts";
import type { Domain, DomainStatus } from "../generated/types.ts";
import { type Verdict, waitFor, type WaitOptions, waitUntilGone } from "../watch.ts";

/** On the way to being served. A domain that is served may have skipped some of them. */
const WAY: readonly DomainStatus[] = [
  "PENDING",
  "CREATING",
  "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
  "ATTACHING",
  "ATTACHED",
];

export class Domains extends Generated {
  /**
   * Waits until a domain has come as far as `status`; `ATTACHED` is served.
   * @throws WaitFailedError once it is in error, whose `last.lastAttachmentError` says why, or is being deleted
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntil(domainId: string, status: DomainStatus, options?: WaitOptions<Domain>): Promise<Domain> {
    const judge = ({ status: present }: Domain): Verdict => {
      if (present === status) return "reached";
      const [wanted, reached] = [WAY.indexOf(status), WAY.indexOf(present)];
      if (wanted !== -1 && reached !== -1) return reached > wanted ? "reached" : "waiting";
      return wanted !== -1 || present.startsWith("ERROR") ? "failed" : "waiting";
    };
    return await waitFor(
      `domain ${domainId} to be ${status}`,
      (held) => this.watch(domainId, held),
      judge,
      options,
    );
  }

  /** Waits until a domain that is being deleted no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilDeleted(domainId: string, options?: WaitOptions<Domain>): Promise<void> {
    await waitUntilGone(`domain ${domainId}`, (held) => this.watch(domainId, held), options);
  }
}
