/** Writes the results of checks: all results without a change together, each change in its own transaction. */
import pLimit from "p-limit";
import { announceChange } from "../../db/changes.ts";
import { RANK, type WorkDeps } from "../../jobs/jobs.ts";
import { recordEvent, recordWrongEvent, warningEvents } from "../custom-domains/domain-events.ts";
import { findDomainOfRecord } from "../custom-domains/queries.ts";
import { warningsOf } from "../custom-domains/warnings.ts";
import { emit } from "../events/emit.ts";
import type { NewEvent } from "../events/event.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import {
  type CheckResult,
  isChange,
  isNewlyWrong,
  isUnclear,
  isUnneeded,
  recordAfter,
} from "./check-record.ts";
import { checks } from "./store.ts";

/** How many connections write changes at a time; the others are for requests and for steps. */
const WRITERS = 4;
/** A check that itself failed is soon repeated. */
const UNCLEAR_MS = 30_000;

/** @param onFailure is called with the error if writing a change fails; the other changes are still written */
export async function writeChecks(
  deps: WorkDeps,
  results: readonly CheckResult[],
  onFailure: (error: unknown) => void,
): Promise<void> {
  const { db, clock } = deps;
  const unchanged = results.filter((result) => !isChange(result));
  if (unchanged.length > 0)
    await db.transaction(async (tx) => {
      await checks.recordChecks(tx, clock.now(), unchanged.map(resultOf));
      for (const { record } of unchanged) announceChange(tx, record.domainId);
    });
  await pLimit(WRITERS).map(results.filter(isChange), (result) => writeChange(deps, result).catch(onFailure));
}

function resultOf({ record, found: { value, error } }: CheckResult) {
  return { record, value, error: error ?? {} };
}

async function writeChange({ db, clock, jobs }: WorkDeps, result: CheckResult): Promise<void> {
  const { record, status } = result;
  const { organizationId, domainId, groupId } = record;
  const at = clock.now();
  const checkAt = isUnclear(result) ? new Date(at.getTime() + UNCLEAR_MS) : null;
  await db.transaction(async (tx) => {
    const domain = await findDomainOfRecord(tx, record);
    const isWritten = isUnneeded(result)
      ? await checks.deleteRecord(tx, record)
      : await checks.recordChange(tx, at, resultOf(result), status, checkAt);
    if (isWritten && domain !== null) emit(tx, slipwayOf(organizationId), changeEvents(domain, result, at));
    announceChange(tx, domainId);
    if (record.status !== status && !isUnneeded(result)) {
      await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId }, RANK.underWay);
    }
  });
}

/** The record was found, lost or is not needed any more, and what that means for its domain. */
function changeEvents(
  now: NonNullable<Awaited<ReturnType<typeof findDomainOfRecord>>>,
  result: CheckResult,
  at: Date,
): readonly NewEvent[] {
  const { record, status } = result;
  const domain = { id: record.domainId, name: record.domainName, groupId: record.groupId };
  const after = isUnneeded(result) ? [] : [recordAfter(result, at)];
  const warned = warningEvents(now.serviceId, domain, warningsOf(now, [record]), warningsOf(now, after));
  if (after.length === 0) return warned;
  const { value, error } = result.found;
  return [
    ...(record.status === status ? [] : [recordEvent(now.serviceId, domain, record, status, record.status)]),
    ...(error !== null && isNewlyWrong(result)
      ? [recordWrongEvent(now.serviceId, domain, record, value, error)]
      : []),
    ...warned,
  ];
}
