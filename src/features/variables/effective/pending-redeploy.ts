import type { Sql } from "../../../db/database.ts";
import { listLiveReleases } from "../../releases/queries.ts";
import { variableVersions } from "../history/version-store.ts";
import { envVariables } from "../store.ts";
import { decidePendingRedeploy, type PendingRedeploy } from "./decide-pending-redeploy.ts";

/** The variables that the running releases of some services have not got yet; services without any are left out. */
export async function findPendingRedeploys(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, PendingRedeploy>> {
  const releases = await listLiveReleases(sql, organizationId, serviceIds);
  const [first] = releases.map(({ since }) => since).toSorted((a, b) => a.getTime() - b.getTime());
  if (first === undefined) return new Map();
  const scopeIds = [
    ...new Set(releases.flatMap(({ serviceId, environmentId }) => [serviceId, environmentId])),
  ];
  const [times, deletions] = await Promise.all([
    envVariables.listTimes(sql, organizationId, scopeIds),
    variableVersions.listDeletions(sql, organizationId, scopeIds, first),
  ]);
  return new Map(
    releases.flatMap((release) => {
      const isOwn = ({ scopeId }: { readonly scopeId: string }): boolean =>
        scopeId === release.serviceId || scopeId === release.environmentId;
      const pending = decidePendingRedeploy(release, times.filter(isOwn), deletions.filter(isOwn));
      return pending === null ? [] : [[release.serviceId, pending] as const];
    }),
  );
}
