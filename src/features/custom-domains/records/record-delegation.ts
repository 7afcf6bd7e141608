import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import { emit } from "../../events/emit.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import type { Domain, FoundDelegation } from "../custom-domain.ts";
import { delegationEvents, shownEvents } from "../domain-events.ts";
import { isApexRefused } from "./delegation.ts";
import { dnsRecords } from "./dns-record-store.ts";
import { connectionRecord } from "./dns-record.ts";

/** Writes who serves the zone of a domain, and what follows from it. */
export async function recordDelegation(
  db: Database,
  {
    organizationId,
    id,
    name,
    type,
    groupId,
  }: Pick<Domain, "organizationId" | "id" | "name" | "type" | "groupId">,
  delegation: FoundDelegation,
): Promise<void> {
  const now = { delegation, isApexRefused: isApexRefused({ name, type }, delegation) };
  const of = { organizationId, domainId: id };
  const slipway = slipwayOf(organizationId);
  await db.transaction(async (tx) => {
    const before = await dnsRecords.findDomain(tx, of);
    if (before === null) return;
    const { serviceId } = before;
    const domain = { id, name, groupId, ...before };
    const records = await dnsRecords.list(tx, organizationId, [id]);
    if (await dnsRecords.recordDelegation(tx, of, before, now)) {
      announceChange(tx, id);
      emit(tx, slipway, delegationEvents(serviceId, domain, now, records));
    }
    const shown = records.find(({ purpose }) => purpose === "SERVICE_CONNECTION");
    if (shown === undefined) return;
    // A name that became the top of a zone, or is it no longer, needs a record of another type.
    const connection = connectionRecord({ organizationId, id, name, type, delegation }, shown.value);
    if (connection.type !== shown.type && (await dnsRecords.put(tx, connection)))
      emit(tx, slipway, shownEvents(serviceId, { ...domain, ...now }, records, connection));
  });
}
