/**
 * One check of a DNS record, and what its result means. With each verification record, the CAA records that govern the
 * domain are checked. If they would refuse the provider, the record that would allow it is shown too. And the zone of
 * the domain is checked: who serves it, and whether that provider takes part in Domain Connect.
 */
import { isDeepStrictEqual } from "node:util";
import type { Cloud } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { CaaOptions, Delegation, Dns, ExpectedRecord, RecordCheck } from "../../dns/dns.ts";
import type { DomainConnect } from "../../domain-connect/domain-connect.ts";
import { kindOf } from "../../domain-connect/template.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DnsRecord, Domain, FoundDelegation } from "../custom-domains/custom-domain.ts";
import { shownEvents } from "../custom-domains/domain-events.ts";
import { putRecord } from "../custom-domains/commands.ts";
import { findDomainOfRecord, listRecords } from "../custom-domains/queries.ts";
import { HOUR_MS } from "../custom-domains/records/check-times.ts";
import { isApexRefused, isSameDelegation, isZoneApex } from "../custom-domains/records/delegation.ts";
import { authorizationRecord } from "../custom-domains/records/dns-record.ts";
import { recordDelegation } from "../custom-domains/records/record-delegation.ts";
import { warningsOf } from "../custom-domains/warnings.ts";
import { emit } from "../events/emit.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import type { DueRecord } from "./store.ts";

export type CheckResult = {
  readonly record: DueRecord;
  readonly found: RecordCheck;
  /** The record's status after the check. */
  readonly status: DnsRecord["status"];
};

export type CheckDeps = {
  readonly db: Database;
  readonly dns: Dns;
  /** Null: Slipway is not known to any DNS provider. */
  readonly domainConnect: DomainConnect | null;
  readonly clock: Clock;
  readonly caaIssuers: Cloud["caaIssuers"];
};

/** Checks a record now. */
export async function checkRecord(deps: CheckDeps, record: DueRecord): Promise<CheckResult> {
  const { dns, clock, caaIssuers } = deps;
  // Ask everything again for a client: the client may just have changed anything.
  const { isRequested: isFresh } = record;
  // Once for each domain: every domain has this record.
  const isOfDomain = record.purpose === "CERTIFICATE_DOMAIN_VERIFICATION";
  const checksCaa = isOfDomain && (isFresh || isCaaDue(record.lastCheckAt, clock.now()));
  const checksDelegation = isOfDomain && (isFresh || isDelegationDue(record, clock.now()));
  const isQuick = !isFresh && isQuickCheck(record, clock.now());
  const [found] = await Promise.all([
    expected(record, caaIssuers).then((found) => dns.check(found, { isQuick, isFresh })),
    checksCaa ? checkCaa(deps, record) : undefined,
    checksDelegation ? checkDelegation(deps, record) : undefined,
  ]);
  return { record, found, status: statusAfter(record, found.error) };
}

async function checkCaa({ db, dns, caaIssuers }: CheckDeps, record: DueRecord): Promise<void> {
  const { organizationId, domainId, domainName, groupId, isRequested: isFresh } = record;
  const refusal = await dns.findCaaRefusal(domainName, caaOptions(record, await caaIssuers()), { isFresh });
  // If it cannot be found out, the provider decides.
  if (refusal === null || refusal === undefined) return;
  const desired = authorizationRecord({ organizationId, id: domainId }, refusal);
  await db.transaction(async (tx) => {
    const now = await findDomainOfRecord(tx, record);
    if (now === null) return;
    const records = await listRecords(tx, organizationId, [domainId]);
    if (!(await putRecord(tx, desired))) return;
    announceChange(tx, domainId);
    const domain = { id: domainId, name: domainName, groupId, ...now };
    const events = shownEvents(now.serviceId, domain, records, desired, refusal);
    emit(tx, slipwayOf(organizationId), events);
  });
}

/**
 * Checks who serves the zone of a record's domain and what that provider offers, and writes a change. What cannot be
 * found out now stays unchanged: if a name server fails, that does not mean that the zone has moved.
 */
async function checkDelegation({ db, dns, domainConnect }: CheckDeps, record: DueRecord): Promise<void> {
  const { organizationId, domainId: id, domainName: name, domainType: type, groupId } = record;
  const found = await dns.findDelegation(name, { isFresh: record.isRequested });
  if (found === null) return;
  const delegation = await addOffer(domainConnect, record, found);
  const isKnown = isDeepStrictEqual(record.delegation, delegation);
  if (!isKnown || record.isApexRefused !== isApexRefused({ name, type }, delegation))
    await recordDelegation(db, { organizationId, id, name, type, groupId }, delegation);
}

async function addOffer(
  domainConnect: DomainConnect | null,
  { domainName, delegation: before, isRequested: isFresh }: DueRecord,
  found: Delegation,
): Promise<FoundDelegation> {
  if (domainConnect === null) return found;
  const kind = kindOf(domainName, found.zone);
  const offer = kind === null ? null : await domainConnect.find(found.zone, kind, { isFresh });
  const known = before !== null && isSameDelegation(before, found) ? before.domainConnect : undefined;
  const kept = offer === undefined ? known : offer;
  return kept === undefined ? found : { ...found, domainConnect: kept };
}

/** CAA records may be anywhere at or above the domain's name, or at the target of a CNAME: the domain's name is judged. */
async function expected(record: DueRecord, caaIssuers: CheckDeps["caaIssuers"]): Promise<ExpectedRecord> {
  const { type, name, value, domainName } = record;
  if (type !== "CAA") return { type, name, value };
  return { type, name: domainName, ...caaOptions(record, await caaIssuers()) };
}

function caaOptions(
  { domainName: name, domainType: type, delegation }: DueRecord,
  issuers: readonly string[],
): CaaOptions {
  return { issuers, needsCname: !isZoneApex({ name, type, delegation }) };
}

/** Failures of the check itself, which say nothing about the record, and what may pass while a zone is transferred. */
const UNCLEAR: ReadonlySet<string> = new Set([
  "TIMEOUT",
  "NOT_CHECKED",
  "SERVFAIL",
  "REFUSED",
  "MALFORMED_ANSWER",
  "SERVERS_DISAGREE",
  "DNSSEC_BROKEN",
]);

/**
 * The status of a record after a check. If a check of a right record itself fails, the record stays right, so that a
 * brief problem of a name server raises no alarm. The second failure in a row counts. Pure.
 */
export function statusAfter(
  record: Pick<DnsRecord, "status" | "lastCheckError">,
  error: { readonly code: string } | null,
): DnsRecord["status"] {
  if (error === null) return "OK";
  const isFirst = record.lastCheckError?.code === undefined;
  return record.status === "OK" && isFirst && UNCLEAR.has(error.code) ? "OK" : "PENDING";
}

/** Whether to check CAA together with a record: at its first check, then once a minute. Pure. */
export function isCaaDue(lastCheckAt: Date | null, now: Date): boolean {
  return lastCheckAt === null || !isSamePeriod(lastCheckAt, now, 60_000);
}

/** Whether to check, together with a record, who serves the domain's zone: until that is known, then hourly. Pure. */
export function isDelegationDue(
  { lastCheckAt, delegation }: Pick<DnsRecord, "lastCheckAt"> & Pick<Domain, "delegation">,
  now: Date,
): boolean {
  if (delegation === null || lastCheckAt === null) return isCaaDue(lastCheckAt, now);
  return !isSamePeriod(lastCheckAt, now, HOUR_MS);
}

/**
 * Whether a check needs to ask only for the record itself. If it was missing a moment ago, the other places where it
 * may be are asked every ten seconds. Those questions were half of all for missing records. Pure.
 */
export function isQuickCheck(
  { lastCheckAt, lastCheckError }: Pick<DnsRecord, "lastCheckAt" | "lastCheckError">,
  now: Date,
): boolean {
  return (
    lastCheckError?.code === "NOT_FOUND" && lastCheckAt !== null && isSamePeriod(lastCheckAt, now, 10_000)
  );
}

function isSamePeriod(one: Date, other: Date, periodMs: number): boolean {
  return Math.floor(one.getTime() / periodMs) === Math.floor(other.getTime() / periodMs);
}

/** Without any CAA record every authority may issue, so none needs to be set. */
export function isUnneeded({ record: { purpose }, found: { value, error } }: CheckResult): boolean {
  return purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && value === null && error === null;
}

/** Whether a check of a right record failed itself. */
export function isUnclear({ found, status }: CheckResult): boolean {
  return status === "OK" && found.error !== null;
}

/** What the owner of a domain has set in place of a record; other problems are of its zone, or of the check. */
const WRONG: ReadonlySet<string> = new Set([
  "WRONG_VALUE",
  "ZONE_NAME_DOUBLED",
  "PROXIED",
  "CONFLICTING_RECORDS",
  "CNAME_LOOP",
]);

/**
 * Whether a check found something else in place of a record, unlike the check before. Values are not compared: those of
 * a name that is served elsewhere may differ at each check. Pure.
 */
export function isNewlyWrong({ record, found, status }: CheckResult): boolean {
  const code = found.error?.code;
  return (
    status === "PENDING" && code !== undefined && WRONG.has(code) && code !== record.lastCheckError?.code
  );
}

/** Whether more than the result has to be written: the status, the time of the next check, a removal, or an event. */
export function isChange(result: CheckResult): boolean {
  const hasMoved = result.record.status !== result.status;
  return hasMoved || isUnclear(result) || isUnneeded(result) || isFirstMiss(result) || isNewlyWrong(result);
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
  const { value: lastCheckValue, error } = found;
  const lastOkAt = status === "OK" ? at : record.lastOkAt;
  return { ...record, status, lastCheckValue, lastCheckError: error ?? {}, lastCheckAt: at, lastOkAt };
}

/**
 * For a record with the same status: whether the result shows clients something new. A new time of the check counts
 * only if the check was requested.
 */
export function isNew({ record, found }: CheckResult): boolean {
  const { code, message } = record.lastCheckError ?? {};
  return (
    record.isRequested ||
    record.lastCheckAt === null ||
    record.lastCheckValue !== found.value ||
    code !== found.error?.code ||
    message !== found.error?.message
  );
}
