import { isReleased, type Service } from "../projects/project.ts";

/**
 * Whether the newest commit of the branch that an environment follows runs there.
 *
 *   CURRENT       the newest commit runs, or it changes no file of the service
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

/**
 * Compares what runs with the newest commit. External services and data stores are left out: no commit runs as
 * them. Pure.
 * @param services all of the environment
 * @param live the hash of the commit that runs as each service that was released, by the service's id
 * @param newest the hash of the branch's newest commit; null if it is not known
 * @param kept the newest deployed commit, and the services that it left as they were, because none of their files changed
 */
export function decideDrift(
  services: readonly Pick<Service, "id" | "name" | "type">[],
  live: ReadonlyMap<string, string>,
  newest: string | null,
  kept: { readonly commitHash: string; readonly serviceIds: readonly string[] } | null,
): Pick<Drift, "state" | "services"> {
  const compared = services
    .filter(({ type }) => isReleased(type))
    .map(({ id, name }): ServiceDrift => {
      const liveCommit = live.get(id) ?? null;
      const isKept = kept?.commitHash === newest && kept.serviceIds.includes(id);
      return { serviceId: id, name, liveCommit, state: stateOf(liveCommit, isKept ? liveCommit : newest) };
    });
  return { state: sumUp(compared.map(({ state }) => state)), services: compared };
}

function stateOf(liveCommit: string | null, newest: string | null): DriftState {
  if (liveCommit === null) return "NOT_DEPLOYED";
  if (newest === null) return "UNKNOWN";
  return liveCommit === newest ? "CURRENT" : "BEHIND";
}

/** A service that was never deployed does not count beside a deployed one: the state is about what runs. */
function sumUp(states: readonly DriftState[]): DriftState {
  if (states.includes("BEHIND")) return "BEHIND";
  if (states.every((state) => state === "NOT_DEPLOYED")) return "NOT_DEPLOYED";
  return states.includes("UNKNOWN") ? "UNKNOWN" : "CURRENT";
}
