/** Two deployments of a project side by side. Pure. */
import type { DeployedService, DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";

export type Difference = {
  readonly what: string;
  readonly kind: "text" | "status" | "duration";
  /** Null: there is none. A duration is in ms. */
  readonly here: string | null;
  readonly there: string | null;
};

/** What differs, or does not: the commit, the outcome, and each service of either. */
export function differencesOf(here: DeploymentDetails, there: DeploymentDetails): readonly Difference[] {
  const both = (
    what: string,
    kind: Difference["kind"],
    of: (one: DeploymentDetails) => string | null,
  ): Difference => ({ what, kind, here: of(here), there: of(there) });
  const names = new Map([...there.services, ...here.services].map(({ id, name }) => [id, name]));
  const find = ({ services }: DeploymentDetails, id: string) => services.find((one) => one.id === id);
  return [
    both("Commit", "text", ({ commit }) => commit),
    both("Message", "text", titleOfCommit),
    both("Branch", "text", ({ branch }) => branch),
    both("Author", "text", ({ commitAuthor }) => commitAuthor),
    both("Outcome", "status", ({ status }) => status),
    both("Duration", "duration", ({ createdAt, endedAt }) => duration(createdAt, endedAt)),
    ...[...names].flatMap(([id, name]) => [
      both(name, "status", (one) => find(one, id)?.status ?? null),
      both(`${name}: build`, "duration", (one) => buildOf(find(one, id))),
    ]),
  ];
}

function buildOf(service: DeployedService | undefined): string | null {
  return service === undefined ? null : duration(service.buildStartedAt, service.buildEndedAt);
}

function duration(from: string | null, to: string | null): string | null {
  return from === null || to === null ? null : String(Date.parse(to) - Date.parse(from));
}
