import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { announceWork } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { outboxOf } from "../events/outbox.ts";
import type { Domain, Group } from "./custom-domain.ts";
import { deletedEvent, groupEvent } from "./domain-events.ts";
import { domains, groups, provenNames } from "./store.ts";

/** Deletes the row of a domain of which nothing is left, or that is given up. */
export async function removeDomain(
  tx: Transaction,
  actor: Actor,
  { serviceId }: Group,
  domain: Domain,
): Promise<void> {
  const told = outboxOf(actor, [deletedEvent(serviceId, domain)]);
  provenNames.forget(tx, domain);
  await domains.delete(tx, actor.organizationId, domain.id, told);
  announceChange(tx, domain.id);
  announceWork(tx);
}

/** Deletes the row of a group. */
export async function removeGroup(
  tx: Transaction,
  actor: Actor,
  group: Group,
  type: "domain_group.deleted" | "domain_group.abandoned",
): Promise<void> {
  const told = outboxOf(actor, [groupEvent(type, group, group.status)]);
  await groups.delete(tx, actor.organizationId, group.id, told);
  announceChange(tx, group.id);
  announceWork(tx);
}
