import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import type { Delegation, Dns } from "../../../dns/dns.ts";
import type { DomainConnect } from "../../../domain-connect/domain-connect.ts";
import { kindOf } from "../../../domain-connect/template.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import { toldBy } from "../../events/told.ts";
import { slipwayOf } from "../../organizations/audit.ts";
import type { FoundDelegation } from "../custom-domain.ts";
import { delegationEvents } from "../domain-events.ts";
import { isApexRefused, isSameDelegation } from "./delegation.ts";
import { dnsRecords, type DueRecord } from "./dns-record-store.ts";

type Deps = {
  readonly db: Database;
  readonly dns: Pick<Dns, "findDelegation">;
  readonly domainConnect: DomainConnect | null;
};

/**
 * Looks who serves the zone of a record's domain and what that provider offers, and writes it if it is new. What cannot
 * be found out now stays as it was: a name server that fails is no move.
 */
export async function lookAtDelegation(deps: Deps, record: DueRecord): Promise<void> {
  const { organizationId, domainId, domainName: name, domainType: type, groupId } = record;
  const found = await deps.dns.findDelegation(name, { isFresh: record.isAsked });
  if (found === null) return;
  const delegation = await addOffer(deps.domainConnect, record, found);
  const now = { delegation, isApexRefused: isApexRefused({ name, type }, delegation) };
  if (isDeepStrictEqual(record.delegation, delegation) && record.isApexRefused === now.isApexRefused) return;
  await deps.db.transaction(async (tx) => {
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
