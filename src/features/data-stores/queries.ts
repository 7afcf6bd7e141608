import type { Sql } from "../../db/database.ts";
import { isAdmin } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { notFound, orNotFound } from "../../lib/errors.ts";
import { createdStoreOf } from "../projects/existing-values.ts";
import type { Service } from "../projects/project.ts";
import { findProject } from "../projects/queries.ts";
import type { FailedStores } from "./data-stores.ts";
import { snapshots } from "./snapshot-store.ts";
import type { Snapshot } from "./snapshot.ts";
import { dataStores } from "./store.ts";

/** Of some services, in any order. Existing data stores have none. */
export const listCreatedStores = dataStores.list;

export async function findFailedStores(
  sql: Sql,
  organizationId: string,
  services: readonly Service[],
): Promise<FailedStores> {
  const created = services.filter((one) => createdStoreOf(one) !== null).map(({ id }) => id);
  const stores = await dataStores.list(sql, organizationId, created);
  return new Map(
    stores.flatMap(({ serviceId, status, failure }): (readonly [string, "creation" | "change"])[] => {
      if (status === "FAILED") return [[serviceId, "creation"]];
      return status === "AVAILABLE" && failure !== null ? [[serviceId, "change"]] : [];
    }),
  );
}

/** The connection to the account that it is in; null if it does not exist. */
export async function findAccountOfStore(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  return (await dataStores.find(sql, organizationId, serviceId))?.awsAccountId ?? null;
}

export const { find: findSnapshot, findFinal: findFinalSnapshot } = snapshots;

/** Only admins see those of deleted projects, whose members are not known any longer. @throws AppError `NOT_FOUND` */
export async function getSnapshot(sql: Sql, actor: Actor, id: string): Promise<Snapshot> {
  const { organizationId } = actor;
  const snapshot = orNotFound(await snapshots.find(sql, organizationId, id));
  if (!isAdmin(actor) && (await findProject(sql, organizationId, snapshot.projectId)) === null)
    throw notFound();
  return snapshot;
}
