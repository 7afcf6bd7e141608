import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { newApiKey } from "../../lib/api-key.ts";
import { orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { createOperatorKey } from "../api-keys/commands.ts";
import { changeOf, operatorOf, recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { createUser, lockOrganization } from "../users/commands.ts";
import { ORGANIZATION_EVENTS } from "./events.ts";
import type { Organization } from "./organization.ts";
import { getOrganization } from "./queries.ts";
import { organizations } from "./store.ts";

/**
 * Creates an organization with its first admin and key. The key is `chosenKey`, or a new one. It is returned only once,
 * and stored as a hash.
 */
export async function createOrganization(
  tx: Transaction,
  name: string,
  chosenKey: string | null,
): Promise<{ organizationId: string; key: string }> {
  const organizationId = newId("org");
  const key = chosenKey ?? newApiKey();
  const operator = operatorOf(organizationId);
  await organizations.insert(tx, organizationId, name);
  recordAudit(tx, operator, "organization.created", organizationId);
  const admin = { email: "admin@localhost", name: "Admin", role: "admin" } as const;
  const { id: userId } = await createUser(tx, operator, admin);
  await createOperatorKey(tx, organizationId, { userId, name: "First key" }, key);
  return { organizationId, key };
}

/** Creates the first organization of an empty database; null if there is one. Safe in several processes at once. */
export async function createFirstOrganization(
  db: Database,
  chosenKey: string | null,
): Promise<{ organizationId: string; key: string } | null> {
  return await db.acrossOrganizations(() =>
    db.transaction(async (tx) => {
      await tx.executeSql("LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE");
      if ((await organizations.count(tx)) > 0) return null;
      return await createOrganization(tx, "Default", chosenKey);
    }),
  );
}

/** Gives the actor's organization another name. @throws AppError `NOT_FOUND` */
export async function updateOrganization(
  tx: Transaction,
  actor: Actor,
  { name }: { readonly name?: string },
): Promise<Organization> {
  const { organizationId } = actor;
  await lockOrganization(tx, organizationId);
  const organization = await getOrganization(tx, organizationId);
  if (name === undefined || name === organization.name) return organization;
  const renamed = orNotFound(await organizations.rename(tx, organizationId, name));
  announceChange(tx, organizationId);
  const change = changeOf({ name: organization.name }, { name });
  recordAudit(tx, actor, "organization.updated", organizationId, change);
  emit(tx, actor, {
    type: ORGANIZATION_EVENTS["organization.updated"],
    subjectId: organizationId,
    data: { name },
  });
  return renamed;
}
