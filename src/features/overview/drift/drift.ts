/** Whether what runs in an environment is the newest commit of the branch that it follows. */

/**
 *   CURRENT       the newest commit runs
 *   BEHIND        another commit than the newest one runs
 *   NOT_DEPLOYED  nothing was released yet
 *   UNKNOWN       something runs, but which commit is the newest is not known
 */
export const DRIFT_STATES = ["CURRENT", "BEHIND", "NOT_DEPLOYED", "UNKNOWN"] as const;
export type DriftState = (typeof DRIFT_STATES)[number];

/** The commit at the head of a branch. */
export type NewestCommit = {
  /** 40 hex digits (64 in a SHA-256 repository). */
  readonly hash: string;
  /** Null if the git host does not say. */
  readonly message: string | null;
  /** The author's name; null like the message. */
  readonly author: string | null;
};

export type ServiceDrift = {
  readonly serviceId: string;
  readonly name: string;
  /** The hash of the commit that runs; null before its first release. */
  readonly liveCommit: string | null;
  readonly state: DriftState;
};

export type Drift = {
  readonly branch: string;
  readonly newest: NewestCommit | null;
  /** Why the newest commit is not known: a sentence. */
  readonly problem: string | null;
  readonly state: DriftState;
  readonly services: readonly ServiceDrift[];
};
