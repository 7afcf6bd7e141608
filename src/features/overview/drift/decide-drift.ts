import type { Service } from "../../projects/project.ts";
import type { Drift, DriftState, ServiceDrift } from "./drift.ts";

/**
 * Compares what runs with the newest commit. External services are left out: they are hosts of the user's own, so no
 * commit runs as them. Pure.
 * @param services all of the environment
 * @param live the hash of the commit that runs as each service that was released, by the service's id
 * @param newest the hash of the branch's newest commit; null if it is not known
 */
export function decideDrift(
  services: readonly Pick<Service, "id" | "name" | "type">[],
  live: ReadonlyMap<string, string>,
  newest: string | null,
): Pick<Drift, "state" | "services"> {
  const compared = services
    .filter(({ type }) => type !== "external")
    .map(({ id, name }): ServiceDrift => {
      const liveCommit = live.get(id) ?? null;
      return { serviceId: id, name, liveCommit, state: stateOf(liveCommit, newest) };
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
