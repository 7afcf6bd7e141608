import type { Database } from "../../db/database.ts";
import { findDefaultDistributionHost } from "../distributions/commands.ts";
import type { Service } from "../projects/project.ts";
import { viewService } from "../projects/views.ts";
import { findPendingRedeploys } from "../variables/effective/pending-redeploy.ts";

/** A service as it is answered, with what other features know of it. */
export async function showService(db: Database, service: Service): Promise<ReturnType<typeof viewService>> {
  const { organizationId, id } = service;
  const [cdnDomainName, pending] = await Promise.all([
    findDefaultDistributionHost(db, organizationId, id),
    findPendingRedeploys(db, organizationId, [id]),
  ]);
  return viewService(service, { cdnDomainName, pendingRedeploy: pending.get(id) ?? null });
}
