/**
 * The outcome of a delivery. `STARTED`: deployments began. The others deployed nothing: the event is not a push to a
 * branch; no environment deploys on pushes to the branch; the commit is no longer the branch's head; the delivery came
 * before; another hook brought the commit; the signature was not made with the integration's secret; the body exceeds
 * the limit; or something failed, and the host was asked to deliver again.
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

/** Any client can cause these outcomes, because they take no valid signature. */
const UNSIGNED: readonly Outcome[] = ["SIGNATURE_WRONG", "TOO_LARGE"];

/**
 * How many receipts are kept in a minute, and which outcomes count together: one of each unsigned outcome, and 60 of
 * all signed outcomes, because a client that has a copy of a signed delivery can send it again.
 */
export function limitOf(outcome: Outcome): { readonly most: number; readonly among: readonly Outcome[] } {
  return UNSIGNED.includes(outcome)
    ? { most: 1, among: [outcome] }
    : { most: 60, among: OUTCOMES.filter((one) => !UNSIGNED.includes(one)) };
}

/** The record of a delivery. Of the body, it keeps only these fields. */
export type Receipt = {
  readonly organizationId: string;
  readonly id: string;
  readonly gitIntegrationId: string;
  readonly receivedAt: Date;
  /** The host's own id; null if it sent none. */
  readonly hostId: string | null;
  readonly repositoryUrl: string;
  /** Null if the delivery is not a push to a branch, or is not known to be. */
  readonly branch: string | null;
  readonly commitHash: string | null;
  readonly outcome: Outcome;
  /** Why it failed; null unless it did. */
  readonly errorCode: string | null;
  readonly deploymentIds: readonly string[];
};
