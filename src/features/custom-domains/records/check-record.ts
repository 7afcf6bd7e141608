/**
 * One check of a DNS record, and what its result means. With each verification record, the CAA records that govern the
 * domain are checked. If they would refuse the provider, the record that would allow it is shown too. And it is looked
 * who serves the domain's zone.
 */
import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import type { CaaOptions, Dns, ExpectedRecord, RecordCheck } from "../../../dns/dns.ts";
import type { DomainConnect } from "../../../domain-connect/domain-connect.ts";
import type { Clock } from "../../../lib/clock.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import { outboxOf } from "../../events/outbox.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import type { DnsRecord } from "../custom-domain.ts";
import { shownEvents } from "../domain-events.ts";
import { warningsOf } from "../names/warnings.ts";
import { dnsRecords, type DueRecord } from "./dns-record-store.ts";
import { authorizationRecord } from "./dns-record.ts";
import { isZoneApex } from "./delegation.ts";
import { lookAtDelegation } from "./look-at-delegation.ts";
import { isCaaDue, isDelegationDue, isQuickCheck, statusAfter } from "./record-status.ts";

export type CheckResult = {
  readonly record: DueRecord;
  readonly found: RecordCheck;
  /** The record's status after the check. */
  readonly status: DnsRecord["status"];
};

type Deps = {
  readonly db: Database;
  readonly dns: Dns;
  readonly domainConnect: DomainConnect | null;
  readonly clock: Clock;
  readonly caaIssuers: readonly string[];
};

/** Checks a record now. */
export async function checkRecord(deps: Deps, record: DueRecord): Promise<CheckResult> {
  const { dns, clock, caaIssuers } = deps;
  // Ask everything again for a client: the client may just have changed anything.
  const { isAsked: isFresh } = record;
  // Once for each domain: every domain has this record.
  const isOfDomain = record.purpose === "CERTIFICATE_DOMAIN_VERIFICATION";
  const checksCaa = isOfDomain && (isFresh || isCaaDue(record.lastCheckAt, clock.now()));
  const checksDelegation = isOfDomain && (isFresh || isDelegationDue(record, clock.now()));
  const isQuick = !isFresh && isQuickCheck(record, clock.now());
  const [found] = await Promise.all([
    dns.check(expected(record, caaIssuers), { isQuick, isFresh }),
    checksCaa ? checkCaa(deps, record) : undefined,
    checksDelegation ? lookAtDelegation(deps, record) : undefined,
  ]);
  return { record, found, status: statusAfter(record, found.error) };
}

async function checkCaa({ db, dns, caaIssuers }: Deps, record: DueRecord): Promise<void> {
  const { organizationId, domainId, domainName, groupId, isAsked } = record;
  const refusal = await dns.findCaaRefusal(domainName, caaOptions(record, caaIssuers), { isFresh: isAsked });
  if (refusal === null) return;
  const wanted = authorizationRecord({ organizationId, id: domainId }, refusal);
  const domain = { id: domainId, name: domainName, groupId };
  await db.transaction(async (tx) => {
    const now = await dnsRecords.findDomain(tx, record);
    if (now === null) return;
    const records = await dnsRecords.list(tx, organizationId, [domainId]);
    const events = shownEvents(now.serviceId, { ...domain, ...now }, records, wanted, refusal);
    dnsRecords.put(tx, wanted, outboxOf(slipwayOf(organizationId), events), {
      onRows(written) {
        if (written.length === 0) return;
        announceChange(tx, domainId);
        announceWork(tx);
      },
    });
  });
}

/** CAA records may be anywhere at or above the domain's name, or at the target of a CNAME: the domain's name is judged. */
function expected(record: DueRecord, issuers: readonly string[]): ExpectedRecord {
  const { type, name, value, domainName } = record;
  return type === "CAA" ? { type, name: domainName, ...caaOptions(record, issuers) } : { type, name, value };
}

function caaOptions(
  { domainName: name, domainType: type, delegation }: DueRecord,
  issuers: readonly string[],
): CaaOptions {
  return { issuers, needsCname: !isZoneApex({ name, type, delegation }) };
}

/** Without any CAA record every authority may issue, so none needs to be set. */
export function isUnneeded({ record: { purpose }, found: { value, error } }: CheckResult): boolean {
  return purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && value === null && error === null;
}

/** A check of a right record that failed itself. */
export function isUnclearCheck({ found, status }: CheckResult): boolean {
  return status === "OK" && found.error !== null;
}

/** Whether more than the result has to be written: the status, the time of the next check, a removal, or a warning. */
export function isChange(result: CheckResult): boolean {
  const isMoved = result.record.status !== result.status;
  return isMoved || isUnclearCheck(result) || isUnneeded(result) || isFirstMiss(result);
}

/** Whether the first check of a record raises a warning of its served domain. */
function isFirstMiss(result: CheckResult): boolean {
  const { record } = result;
  if (record.domainStatus !== "ATTACHED" || record.lastCheckAt !== null) return false;
  const domain = { status: record.domainStatus, isApexRefused: false, zoneState: null };
  const after = warningsOf(domain, [recordAfter(result, new Date(0))]);
  return after.length > warningsOf(domain, [record]).length;
}

/** The record as a check leaves it. Pure. */
export function recordAfter({ record, found, status }: CheckResult, at: Date): DueRecord {
  const lastOkAt = status === "OK" ? at : record.lastOkAt;
  return { ...record, status, lastCheckError: found.error ?? {}, lastCheckAt: at, lastOkAt };
}

/**
 * For a record with the same status: whether the result shows clients something new. A new time of the check counts
 * only if the check was asked for.
 */
export function isNews({ record, found }: CheckResult): boolean {
  const { code, message } = record.lastCheckError ?? {};
  return (
    record.isAsked ||
    record.lastCheckAt === null ||
    record.lastCheckValue !== found.value ||
    code !== found.error?.code ||
    message !== found.error?.message
  );
}
