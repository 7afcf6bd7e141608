/** What the steps of a group work with. */
import type { StartedCall } from "../../../cloud/calls/stragglers.ts";
import type {
  ObservedCertificate,
  Cloud,
  CloudAccount,
  CloudError,
  ObservedDistribution,
} from "../../../cloud/cloud.ts";
import type { Dns } from "../../../dns/dns.ts";
import type { WorkDeps } from "../../../jobs/jobs.ts";
import type { Distribution } from "../../distributions/distribution.ts";
import type { DomainWithRecords, Group } from "../custom-domain.ts";
import type { DesiredGroup } from "./group-step.ts";

export type GroupDeps = WorkDeps & {
  readonly cloud: Cloud;
  readonly dns: Pick<Dns, "findDelegation" | "findEndedWildcard" | "findCaaRefusal">;
  readonly validationWindowMs: number;
};

/** As read for one step. */
export type Context = {
  readonly group: Group;
  readonly desired: Omit<DesiredGroup, "domains"> & { readonly domains: readonly DomainWithRecords[] };
  readonly distribution: Distribution;
  readonly account: CloudAccount;
  readonly memory: Memory;
};

/** What a claim remembers from step to step. */
export type Memory = {
  /** How often the group had been enqueued before the first of these answers. */
  pokes: number | null;
  /** Requests of certificates, by our ids, whose start is recorded and that are not sent yet. */
  readonly begun: Map<string, StartedCall>;
  /** The account's certificates, once they were listed. */
  listed: Awaited<ReturnType<Cloud["certificates"]["list"]>> | null;
  /** The domains whose records in a zone could not be changed, and why. The other work continues. */
  readonly delayed: Map<string, CloudError>;
  /** The provider's answers since the last change in the cloud, by the provider's ids. */
  readonly answers: {
    readonly certificates: Map<string, ObservedCertificate | null>;
    readonly distributions: Map<string, ObservedDistribution | null>;
  };
};

export function newMemory(): Memory {
  const answers = { certificates: new Map(), distributions: new Map() };
  return { pokes: null, begun: new Map(), listed: null, delayed: new Map(), answers };
}
