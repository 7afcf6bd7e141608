/**
 * Sets records in DNS zones of the account, and removes them. A new DNS lookup decides the zone: the zone that the name
 * is in, if its live delegation is to the servers of a zone of the account. A record is only created, never changed.
 * First its name is read; then the intent is written; then it is created. So if the outcome of the creation is unknown,
 * reading the name again shows it.
 */
import {
  type CloudAccount,
  CloudError,
  type CloudZones,
  type ObservedRecords,
  type ZoneRecord,
} from "../../../cloud/cloud.ts";
import { announceChange } from "../../../db/changes.ts";
import type { Transaction } from "../../../db/database.ts";
import { recordAudit, slipwayOf } from "../../audit/record-audit.ts";
import type { Domain, DomainWithRecords, SetRecord, ZoneProblem, ZoneState } from "../custom-domain.ts";
import { zoneEvents, zoneRemovedEvent } from "../domain-events.ts";
import type { Delegation } from "../../../dns/dns.ts";
import { isSameRecord } from "../records/dns-record.ts";
import { recordDelegation } from "../records/record-delegation.ts";
import { domains } from "../store.ts";
import type { Context, GroupDeps } from "./context.ts";
import { changeGroup, emitFor } from "./record-group.ts";
import { compareWithZone, counterpartOf, problemOf, staleOf, unsetOf } from "./decide-zones.ts";

/** The state of one domain while its records are set. */
type Plan = {
  readonly domain: DomainWithRecords;
  /** As it is in the database. */
  stored: ZoneState | null;
  state: ZoneState;
  readonly create: SetRecord[];
  /** What prevents this domain's records for the moment; null: nothing does. */
  delay: CloudError | null;
};

/** A record that is to be set, and the zone that it belongs into. */
type DesiredRecord = { readonly plan: Plan; readonly record: ZoneRecord; readonly zoneId: string };

/** A lasting refusal. A temporary failure is rethrown instead, and the step is repeated. */
class Obstacle extends Error {
  readonly code: ZoneProblem["code"];
  readonly conflict: ZoneProblem["conflict"];
  constructor(code: ZoneProblem["code"], message: string, conflict?: ZoneProblem["conflict"]) {
    super(message);
    this.code = code;
    this.conflict = conflict;
  }
}

/** @throws CloudError a temporary failure */
export async function setZoneRecords(
  deps: GroupDeps,
  context: Context,
  due: readonly DomainWithRecords[],
): Promise<void> {
  const { db, clock } = deps;
  const { zones } = deps.cloud;
  const { group, account } = context;
  const zoneIds = new Map<string, Promise<string>>();
  const plans: Plan[] = [];
  const desired: DesiredRecord[] = [];
  for (const domain of due) {
    const before = domain.zoneState ?? { records: [], problem: null };
    const state = { ...before, problem: null };
    const plan: Plan = { domain, stored: domain.zoneState, state, create: [], delay: null };
    plans.push(plan);
    try {
      await dropStale(zones, account, plan);
      for (const record of unsetOf(domain)) {
        const delegation = await findDelegation(deps, record);
        if (record.type === "CNAME" && delegation.zone === record.name) {
          // It became the top of a zone since it was last checked. The next step finds an ALIAS in its place.
          await recordDelegation(db, domain, delegation);
          continue;
        }
        const key = [delegation.zone, ...delegation.nameServers].join();
        const finding = zoneIds.get(key) ?? findZone(zones, account, delegation);
        zoneIds.set(key, finding);
        const zoneId = await finding;
        await requireNoWildcardEnds(deps, record);
        desired.push({ plan, record, zoneId });
      }
    } catch (error) {
      stop(plan, error, clock.now());
    }
  }
  const looks = lookByZone(zones, account, desired);
  const taken = new Set<string>();
  for (const { plan, zoneId } of desired)
    await looks.get(zoneId)?.catch((error: unknown) => stop(plan, error, clock.now()));
  for (const one of desired.filter(({ plan }) => isFree(plan))) {
    try {
      const observed = await looks.get(one.zoneId);
      planRecord(one, observed?.get(one.record.name) ?? [], taken, clock.now());
    } catch (error) {
      stop(one.plan, error, clock.now());
    }
  }
  const ready = await changeGroup(db, group, async (tx) => {
    const kept: Plan[] = [];
    for (const plan of plans.filter(isFree))
      if (plan.create.length === 0 || (await recordIntent(tx, plan))) kept.push(plan);
    return kept;
  });
  const now = clock.now();
  await Promise.all(ready.map((plan) => create(zones, account, plan, now)));
  await changeGroup(db, group, async (tx) => {
    for (const plan of ready.filter(isFree)) await recordOutcome(tx, context, plan);
  });
  // The others' records are set and noted by now.
  for (const { delay } of plans) if (delay !== null) throw delay;
}

function isFree({ delay }: Plan): boolean {
  return delay === null;
}

/** Notes what prevents the records of one domain. @throws an error that is not a refusal */
function stop(plan: Plan, error: unknown, now: Date): void {
  if (error instanceof CloudError && error.kind === "retryable") plan.delay = error;
  else plan.state = { ...plan.state, problem: toProblem(error, problemBefore(plan), now) };
}

async function findDelegation({ dns }: GroupDeps, { name }: ZoneRecord): Promise<Delegation> {
  const delegation = await dns.findDelegation(name, { isFresh: true });
  if (delegation !== null) return delegation;
  throw new Obstacle(
    "DNS_ZONE_NOT_FOUND",
    `The DNS does not say now who serves the zone of ${name}. Slipway asks again.`,
  );
}

/**
 * A record makes the names above it exist, and a wildcard that served them until then answers for them no longer.
 * @throws Obstacle if one would, or if that cannot be found out now
 */
async function requireNoWildcardEnds({ dns }: GroupDeps, { name, type }: ZoneRecord): Promise<void> {
  const ended = await dns.findEndedWildcard(name, { isFresh: true });
  if (ended === null) return;
  if (ended === undefined)
    throw new Obstacle(
      "DNS_ZONE_NOT_FOUND",
      `The DNS does not say now what is at ${name}. Slipway asks again.`,
    );
  const names = ended.names.join(" and ");
  throw new Obstacle(
    "DNS_WILDCARD_IN_USE",
    `${names} is answered by the wildcard ${ended.at} (${ended.answer}), which would end with the ${type} at ${name}. So Slipway does not set that record yet.`,
  );
}

/** What each zone has at the desired names, in as few calls as the provider allows. */
function lookByZone(
  zones: CloudZones,
  account: CloudAccount,
  desired: readonly DesiredRecord[],
): ReadonlyMap<string, Promise<ReadonlyMap<string, readonly ObservedRecords[]>>> {
  const byZone = Map.groupBy(desired, ({ zoneId }) => zoneId);
  return new Map(
    [...byZone].map(([zoneId, own]) => {
      const names = [...new Set(own.map(({ record }) => record.name))];
      const looking = zones
        .look(account, zoneId, names)
        .then((observed) => new Map(names.map((name, index) => [name, observed[index] ?? []])));
      // It is awaited for each record.
      looking.catch(() => undefined);
      return [zoneId, looking];
    }),
  );
}

function planRecord(
  { plan, record, zoneId }: DesiredRecord,
  observed: readonly ObservedRecords[],
  taken: Set<string>,
  now: Date,
): void {
  const desired = plan.state.records.find((one) => isSameRecord(one, record));
  const verdict = compareWithZone(record, observed);
  const others = plan.state.records.filter((one) => one !== desired);
  const id = `${record.type} ${record.name}`;
  const since = now.toISOString();
  if (verdict === "absent" && !taken.has(id)) {
    plan.state = { ...plan.state, records: others };
    plan.create.push({ ...record, zoneId, status: "SETTING", since });
  } else if (verdict === "equal" || verdict === "absent") {
    // It was absent when an intent was written: then it is ours.
    const status = desired === undefined || verdict === "absent" ? "FOUND" : "SET";
    const settled: SetRecord = { ...record, zoneId, status, since };
    plan.state = { ...plan.state, records: [...others, desired?.status === status ? desired : settled] };
  } else {
    plan.state = { ...plan.state, records: others };
    throw conflict(record, verdict.found);
  }
  taken.add(id);
}

function conflict({ name, type, value }: ZoneRecord, found: string): Obstacle {
  return new Obstacle(
    "DNS_RECORD_CONFLICT",
    `${name} should have ${type} ${value}, but its zone has ${found}. Slipway never changes records of others.`,
    { type, name, found },
  );
}

/** @returns the id of the account's zone that the DNS delegates to */
async function findZone(
  zones: CloudZones,
  account: CloudAccount,
  { zone, nameServers }: Delegation,
): Promise<string> {
  const found = await zones.find(account, zone);
  const delegated = found.filter((one) => one.nameServers.toSorted().join() === nameServers.join());
  const [only, ...others] = delegated;
  if (only !== undefined && others.length === 0) return only.id;
  if (only !== undefined)
    throw new Obstacle(
      "DNS_ZONE_AMBIGUOUS",
      `The account has several zones ${zone} with the name servers of the delegation: ${delegated.map(({ id }) => id).join(", ")}.`,
    );
  const servers = `The DNS delegates ${zone} to ${nameServers.join(", ")}`;
  const [other] = found;
  throw new Obstacle(
    "DNS_ZONE_NOT_FOUND",
    other === undefined
      ? `${servers}, and the account has no public zone of this name.`
      : `${servers}, and not to the account's zone ${other.id}, whose name servers are ${other.nameServers.join(", ")}.`,
  );
}

/** Deletes what was set with a former value, if it is still exactly so. */
async function dropStale(zones: CloudZones, account: CloudAccount, plan: Plan): Promise<void> {
  for (const record of staleOf(plan.domain)) {
    await deleteIfOurs(zones, account, record);
    plan.state = { ...plan.state, records: plan.state.records.filter((one) => one !== record) };
  }
}

/** Creates what a domain needs. */
async function create(zones: CloudZones, account: CloudAccount, plan: Plan, now: Date): Promise<void> {
  for (const [zoneId, desired] of Map.groupBy(plan.create, (record) => record.zoneId)) {
    const records = desired.map(({ type, name, value }) => ({ type, name, value }));
    const failure = await zones.create(account, zoneId, records).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    for (const record of desired) {
      try {
        if (failure !== null) await requireCreated(zones, account, record, failure.error);
        settle(plan, record, { ...record, status: "SET", since: now.toISOString() });
      } catch (error) {
        stop(plan, error, now);
        // If it may exist, its intent stays.
        if (isFree(plan)) settle(plan, record, null);
      }
    }
  }
}

/** After a lost answer, a repeated creation finds its own record in the way. */
async function requireCreated(
  zones: CloudZones,
  account: CloudAccount,
  record: SetRecord,
  failure: unknown,
): Promise<void> {
  if (!(failure instanceof CloudError && failure.code === "RECORD_CONFLICT")) throw failure;
  const verdict = compareWithZone(record, await lookAt(zones, account, record));
  if (verdict === "equal") return;
  throw conflict(record, verdict === "absent" ? "another record that does not allow it" : verdict.found);
}

async function lookAt(
  zones: CloudZones,
  account: CloudAccount,
  { zoneId, name }: SetRecord,
): Promise<readonly ObservedRecords[]> {
  const [observed = []] = await zones.look(account, zoneId, [name]);
  return observed;
}

function settle(plan: Plan, record: SetRecord, as: SetRecord | null): void {
  const records = plan.state.records.flatMap((one) => (one === record ? (as === null ? [] : [as]) : [one]));
  plan.state = { ...plan.state, records };
}

function problemBefore({ domain }: Plan): ZoneProblem | null {
  return domain.zoneState?.problem ?? null;
}

/** @throws an error that is not a refusal */
function toProblem(error: unknown, before: ZoneProblem | null, now: Date): ZoneProblem {
  if (error instanceof Obstacle) {
    const problem = problemOf(before, error.code, error.message, now);
    return error.conflict === undefined ? problem : { ...problem, conflict: error.conflict };
  }
  if (!(error instanceof CloudError)) throw error;
  if (error.kind === "gone") return problemOf(before, "DNS_ZONE_NOT_FOUND", error.message, now);
  const message = `The account does not let Slipway set records in this zone. ${error.message}`;
  return problemOf(before, "DNS_ZONE_NOT_ALLOWED", message, now);
}

/** False if a client has changed the domain since it was read. */
async function recordIntent(tx: Transaction, plan: Plan): Promise<boolean> {
  const { problem = null } = plan.stored ?? {};
  const records = [...plan.state.records, ...plan.create];
  const intent = { records, problem };
  if (!(await domains.recordZoneState(tx, plan.domain, plan.stored, intent))) return false;
  plan.stored = intent;
  plan.state = { ...plan.state, records };
  return true;
}

async function recordOutcome(tx: Transaction, { group }: Context, plan: Plan): Promise<void> {
  const { domain, stored, state } = plan;
  const set = state.records.filter((one) => one.status === "SET" && !wasSet(domain, one));
  if (!(await domains.recordZoneState(tx, domain, stored, state))) return;
  emitFor(tx, group, zoneEvents(group.serviceId, domain, state, set));
  announceChange(tx, domain.id);
  if (set.length > 0)
    recordAudit(tx, slipwayOf(group.organizationId), "domain.dns-records-set", domain.id, detailsOf(set));
}

function wasSet({ zoneState }: Domain, record: SetRecord): boolean {
  return zoneState?.records.some((one) => one.status === "SET" && isSameRecord(one, record)) ?? false;
}

function detailsOf(records: readonly SetRecord[]) {
  return { names: records.map(({ zoneId, type, name, value }) => `${zoneId}: ${name} ${type} ${value}`) };
}

/**
 * Deletes the records that were set for a domain. A record that was changed since or is still needed stays, and the
 * event lists it. @throws CloudError a temporary failure
 */
export async function removeZoneRecords(
  deps: GroupDeps,
  context: Context,
  domain: DomainWithRecords,
): Promise<void> {
  const { zones } = deps.cloud;
  const { group, account } = context;
  const { organizationId } = group;
  const heir = await domains.findByName(deps.db, organizationId, counterpartOf(domain));
  const removed: SetRecord[] = [];
  const left: SetRecord[] = [];
  for (const record of domain.zoneState?.records ?? []) {
    // The record of a wildcard is that of the name which it is below.
    const isInherited =
      heir?.isDesired === true && heir.zoneState?.records.some((one) => isSameRecord(one, record));
    if (record.status === "FOUND" || isInherited === true) continue;
    const isNeeded = isVerification(domain, record) && (await isOnOtherCertificate(deps, context, domain));
    if (!isNeeded && (await deleteIfOurs(zones, account, record))) removed.push(record);
    else left.push(record);
  }
  await changeGroup(deps.db, group, async (tx) => {
    if (heir?.isDesired === true && heir.zoneState !== null) await bequeath(tx, heir, domain);
    const state = { records: [], problem: null };
    if (!(await domains.recordZoneState(tx, domain, domain.zoneState, state))) return;
    if (removed.length + left.length > 0)
      emitFor(tx, group, [zoneRemovedEvent(group.serviceId, domain, removed, left)]);
    if (removed.length > 0)
      recordAudit(tx, slipwayOf(organizationId), "domain.dns-records-removed", domain.id, detailsOf(removed));
  });
}

/** The other record of a domain has its own name. */
function isVerification(domain: Domain, { name }: SetRecord): boolean {
  return name !== domain.name;
}

/**
 * The provider has the same verification record for a name in all certificates of an account, and needs it for each
 * renewal. If the account refuses the list, the record counts as needed. @throws CloudError a temporary failure
 */
async function isOnOtherCertificate(
  { cloud }: GroupDeps,
  { account, desired, memory }: Context,
  { name }: Domain,
): Promise<boolean> {
  try {
    memory.listed ??= await cloud.certificates.list(account);
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
    return true;
  }
  const own = new Set(desired.certificates.map(({ providerId }) => providerId));
  const bare = name.replace(/^\*\./, "");
  return memory.listed.some(
    ({ id, names }) => !own.has(id) && (names.includes(bare) || names.includes(`*.${bare}`)),
  );
}

/** What the leaving domain set, and the other one found, is from now on removed with the other. */
async function bequeath(tx: Transaction, heir: Domain, { zoneState }: Domain): Promise<void> {
  const own = zoneState?.records.filter(({ status }) => status !== "FOUND") ?? [];
  const { records = [], problem = null } = heir.zoneState ?? {};
  const inherited = records.map((record) =>
    own.some((one) => isSameRecord(one, record)) ? { ...record, status: "SET" as const } : record,
  );
  await domains.recordZoneState(tx, heir, heir.zoneState, { records: inherited, problem });
}

/** @returns false if it stays: it is another now, or the account refuses */
async function deleteIfOurs(zones: CloudZones, account: CloudAccount, record: SetRecord): Promise<boolean> {
  if (record.status === "FOUND") return false;
  const { zoneId, type, name, value } = record;
  try {
    const verdict = compareWithZone(record, await lookAt(zones, account, record));
    if (verdict === "absent") return true;
    if (verdict !== "equal") return false;
    await zones.delete(account, zoneId, [{ type, name, value }]);
    return true;
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
    // After a lost answer, a repeated deletion finds nothing.
    if (error.code !== "RECORD_CONFLICT") return false;
    return compareWithZone(record, await lookAt(zones, account, record)) === "absent";
  }
}
