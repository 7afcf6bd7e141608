/**
 * What came of a delivery. `STARTED`: deployments began. The others deployed nothing: another event than a push to a
 * branch; no environment that deploys on pushes to the branch; a commit that is not the branch's head any more; a
 * delivery that came before; a commit that another hook has brought; a signature that is not of the integration's
 * secret; a body over the limit; or something failed, and the host was told to deliver again.
 */
export const OUTCOMES = [
  "STARTED",
  "NO_PUSH",
  "BRANCH_NOT_DEPLOYED",
  "NOT_HEAD",
  "REPEATED",
  "ALREADY_DEPLOYED",
  "SIGNATURE_WRONG",
  "TOO_LARGE",
  "FAILED",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Anybody may send these: no signature was found right. */
const UNSIGNED: readonly Outcome[] = ["SIGNATURE_WRONG", "TOO_LARGE"];

/**
 * How many receipts are kept in a minute, and which outcomes count together: one of each unsigned outcome, and 60 of
 * what is signed, because whoever has a copy may send it again.
 */
export function limitOf(outcome: Outcome): { readonly most: number; readonly among: readonly Outcome[] } {
  return UNSIGNED.includes(outcome)
    ? { most: 1, among: [outcome] }
    : { most: 60, among: OUTCOMES.filter((one) => !UNSIGNED.includes(one)) };
}

/** What is remembered of a delivery. Of its body only what is here. */
export type Receipt = {
  readonly organizationId: string;
  readonly id: string;
  readonly gitIntegrationId: string;
  readonly receivedAt: Date;
  /** The host's own id; null if it sent none. */
  readonly hostId: string | null;
  readonly repositoryUrl: string;
  /** Null for what is no push to a branch, or is not known to be one. */
  readonly branch: string | null;
  readonly commitHash: string | null;
  readonly outcome: Outcome;
  /** Why it failed; null unless it did. */
  readonly errorCode: string | null;
  readonly deploymentIds: readonly string[];
};
