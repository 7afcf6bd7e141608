import type { Database } from "../../db/database.ts";
import { listDefaultDistributionHosts } from "../distributions/commands.ts";
import { listCreatedStores } from "../data-stores/queries.ts";
import { createdStoreOf } from "../projects/existing-values.ts";
import type { Service } from "../projects/project.ts";
import { viewService } from "../projects/views.ts";
import { findPendingRedeploys } from "../variables/queries.ts";

type Shown = ReturnType<typeof viewService>;

/** Services of an organization as they are answered, with what other features know of them. */
export async function showServices(
  db: Database,
  organizationId: string,
  services: readonly Service[],
): Promise<Shown[]> {
  const ids = services.map(({ id }) => id);
  const created = services.filter((one) => createdStoreOf(one) !== null).map(({ id }) => id);
  const [hosts, pending, stores] = await Promise.all([
    listDefaultDistributionHosts(db, organizationId, ids),
    findPendingRedeploys(db, organizationId, ids),
    listCreatedStores(db, organizationId, created),
  ]);
  return services.map((service) =>
    viewService(service, {
      cdnDomainName: hosts.get(service.id) ?? null,
      pendingRedeploy: pending.get(service.id) ?? null,
      dataStore: stores.find(({ serviceId }) => serviceId === service.id) ?? null,
    }),
  );
}

/** One of them. */
export async function showService(db: Database, service: Service): Promise<Shown> {
  const [shown] = await showServices(db, service.organizationId, [service]);
  if (shown === undefined) throw new Error("A service is not shown.");
  return shown;
}
