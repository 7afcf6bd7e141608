import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import type { Dns } from "../../../dns/dns.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import { toldBy } from "../../events/told.ts";
import { slipwayOf } from "../../organizations/audit.ts";
import { delegationEvents } from "../domain-events.ts";
import { isApexRefused, isSameDelegation } from "./delegation.ts";
import { dnsRecords, type DueRecord } from "./dns-record-store.ts";

/**
 * Looks who serves the zone of a record's domain, and writes it if it is new. What cannot be found out now stays as it
 * was: a name server that fails is no move.
 */
export async function lookAtDelegation(
  { db, dns }: { readonly db: Database; readonly dns: Dns },
  record: DueRecord,
): Promise<void> {
  const { organizationId, domainId, domainName: name, domainType: type, groupId } = record;
  const delegation = await dns.findDelegation(name, { isFresh: record.isAsked });
  if (delegation === null) return;
  const now = { delegation, isApexRefused: isApexRefused({ name, type }, delegation) };
  const isKnown = record.delegation !== null && isSameDelegation(record.delegation, delegation);
  if (isKnown && record.isApexRefused === now.isApexRefused) return;
  await db.transaction(async (tx) => {
    const domain = await dnsRecords.findDomain(tx, record);
    if (domain === null) return;
    const records = await dnsRecords.list(tx, organizationId, [domainId]);
    const events = delegationEvents(
      domain.serviceId,
      { id: domainId, name, groupId, ...domain },
      now,
      records,
    );
    dnsRecords.recordDelegation(tx, record, domain, now, toldBy(slipwayOf(organizationId), events), {
      onRows(written) {
        if (written.length === 0) return;
        announceChange(tx, domainId);
        if (events.length > 0) announceWork(tx);
      },
    });
  });
}
