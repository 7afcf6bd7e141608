import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import type { Delegation, Dns } from "../../../dns/dns.ts";
import type { DomainConnect } from "../../../domain-connect/domain-connect.ts";
import { kindOf } from "../../../domain-connect/template.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import { outboxOf } from "../../events/outbox.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import type { FoundDelegation } from "../custom-domain.ts";
import { delegationEvents, shownEvents } from "../domain-events.ts";
import { isApexRefused, isSameDelegation } from "./delegation.ts";
import { dnsRecords, type DueRecord } from "./dns-record-store.ts";
import { connectionRecord } from "./dns-record.ts";

type Deps = {
  readonly db: Database;
  readonly dns: Pick<Dns, "findDelegation">;
  readonly domainConnect: DomainConnect | null;
};

/**
 * Checks which provider serves the zone of a record's domain and what it offers, and writes a change. What cannot be
 * found out now stays unchanged: if a name server fails, that does not mean that the zone has moved.
 */
export async function lookAtDelegation(deps: Deps, record: DueRecord): Promise<void> {
  const found = await deps.dns.findDelegation(record.domainName, { isFresh: record.isAsked });
  if (found === null) return;
  const delegation = await addOffer(deps.domainConnect, record, found);
  if (
    isDeepStrictEqual(record.delegation, delegation) &&
    record.isApexRefused === isRefused(record, delegation)
  )
    return;
  await recordDelegation(deps.db, record, delegation);
}

type OfDomain = Pick<DueRecord, "organizationId" | "domainId" | "domainName" | "domainType" | "groupId">;

function isRefused({ domainName: name, domainType: type }: OfDomain, delegation: Delegation): boolean {
  return isApexRefused({ name, type }, delegation);
}

/** Writes who serves the zone of a domain, and what follows from it. */
export async function recordDelegation(
  db: Database,
  of: OfDomain,
  delegation: FoundDelegation,
): Promise<void> {
  const { organizationId, domainId, domainName: name, domainType: type, groupId } = of;
  const now = { delegation, isApexRefused: isRefused(of, delegation) };
  await db.transaction(async (tx) => {
    const domain = await dnsRecords.findDomain(tx, of);
    if (domain === null) return;
    const records = await dnsRecords.list(tx, organizationId, [domainId]);
    const named = { id: domainId, name, groupId };
    const events = delegationEvents(domain.serviceId, { ...named, ...domain }, now, records);
    dnsRecords.recordDelegation(tx, of, domain, now, outboxOf(slipwayOf(organizationId), events), {
      onRows(written) {
        if (written.length === 0) return;
        announceChange(tx, domainId);
        if (events.length > 0) announceWork(tx);
      },
    });
    const shown = records.find(({ purpose }) => purpose === "SERVICE_CONNECTION");
    if (shown === undefined) return;
    // A name that became the top of a zone, or is it no longer, needs a record of another type.
    const wanted = { organizationId, id: domainId, name, type, delegation };
    const connection = connectionRecord(wanted, shown.value);
    if (connection.type === shown.type) return;
    const changed = shownEvents(domain.serviceId, { ...named, ...domain, ...now }, records, connection);
    dnsRecords.put(tx, connection, outboxOf(slipwayOf(organizationId), changed));
    announceWork(tx);
  });
}

async function addOffer(
  domainConnect: DomainConnect | null,
  { domainName, delegation: before, isAsked: isFresh }: DueRecord,
  found: Delegation,
): Promise<FoundDelegation> {
  if (domainConnect === null) return found;
  const kind = kindOf(domainName, found.zone);
  const offer = kind === null ? null : await domainConnect.find(found.zone, kind, { isFresh });
  const known = before !== null && isSameDelegation(before, found) ? before.domainConnect : undefined;
  const kept = offer === undefined ? known : offer;
  return kept === undefined ? found : { ...found, domainConnect: kept };
}
