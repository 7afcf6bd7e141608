/** Writes the results of checks: all results without a change together, each change in its own transaction. */
import pLimit from "p-limit";
import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import { announceWork, type Jobs, RANK } from "../../../jobs/jobs.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { NewEvent } from "../../events/event.ts";
import { outboxOf } from "../../events/outbox.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import type { Domain } from "../custom-domain.ts";
import { recordEvent, warningEvents } from "../domain-events.ts";
import { warningsOf } from "../names/warnings.ts";
import { dnsRecords } from "./dns-record-store.ts";
import { type CheckResult, isChange, isUnclearCheck, isUnneeded, recordAfter } from "./check-record.ts";

/** How many connections write changes at a time; the others are for requests and for steps. */
const WRITERS = 4;
/** A check that itself failed is soon repeated. */
const UNCLEAR_MS = 30_000;

type Deps = { readonly db: Database; readonly clock: Clock; readonly jobs: Jobs };

/** @param onFailure is called with the error if writing a change fails; the other changes are still written */
export async function writeChecks(
  deps: Deps,
  results: readonly CheckResult[],
  onFailure: (error: unknown) => void,
): Promise<void> {
  const news = results.filter((result) => !isChange(result));
  if (news.length > 0) await writeNews(deps, news);
  await pLimit(WRITERS).map(results.filter(isChange), (result) => writeChange(deps, result).catch(onFailure));
}

async function writeNews({ db, clock }: Deps, results: readonly CheckResult[]): Promise<void> {
  const checks = results.map(({ record, found: { value, error } }) => {
    return { record, value, error: error ?? {} };
  });
  await db.transaction(async (tx) => {
    await dnsRecords.recordChecks(tx, clock.now(), checks);
    for (const { record } of results) announceChange(tx, record.domainId);
  });
}

async function writeChange({ db, clock, jobs }: Deps, result: CheckResult): Promise<void> {
  const { record, found, status } = result;
  const { organizationId, domainId, domainName: name, groupId } = record;
  const at = clock.now();
  const lookAt = isUnclearCheck(result) ? new Date(at.getTime() + UNCLEAR_MS) : null;
  const check = { at, value: found.value, error: found.error ?? {}, status, lookAt };
  await db.transaction(async (tx) => {
    const domain = await dnsRecords.findDomain(tx, record);
    const events = domain === null ? [] : newsOf({ id: domainId, name, groupId }, domain, result, at);
    const told = outboxOf(slipwayOf(organizationId), events);
    if (isUnneeded(result)) await dnsRecords.delete(tx, record, told);
    else await dnsRecords.recordCheck(tx, record, check, told);
    if (events.length > 0) announceWork(tx);
    announceChange(tx, domainId);
    if (record.status !== status && !isUnneeded(result)) {
      await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId }, RANK.underWay);
    }
  });
}

/** The record was found, lost or is not needed any more, and what that means for its domain. */
function newsOf(
  domain: Pick<Domain, "id" | "name" | "groupId">,
  now: Pick<Domain, "status" | "isApexRefused" | "zoneState"> & { readonly serviceId: string },
  result: CheckResult,
  at: Date,
): readonly NewEvent[] {
  const { record, status } = result;
  const after = isUnneeded(result) ? [] : [recordAfter(result, at)];
  return [
    ...(after.length === 0 || record.status === status
      ? []
      : [recordEvent(now.serviceId, domain, record, status)]),
    ...warningEvents(now.serviceId, domain, warningsOf(now, [record]), warningsOf(now, after)),
  ];
}
