/**
 * Checks the DNS records of all domains, for their whole life: constant work, with the same cost whether they are set
 * or not. When a record becomes right or wrong, its group is reconciled.
 *
 * A worker takes a record for all its checks in the next few seconds. Taking a record costs more than a check, so at
 * the highest rate of checks the database is asked only before every fifth. One sweep takes what is due, another writes
 * what was found.
 */
import type { Clock } from "../../../lib/clock.ts";
import type { Database } from "../../../db/database.ts";
import type { Dns } from "../../../dns/dns.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { restUntil, type Sweep } from "../../../jobs/sweep.ts";
import { againAfterSeconds } from "./check-interval.ts";
import { dnsRecords } from "./dns-record-store.ts";
import { checkRecord } from "./check-record.ts";
import { createChecksUnderWay, GATHER_MS, type Taken } from "./checks-under-way.ts";
import { createUnchangedChecks, type UnchangedChecks } from "./unchanged-checks.ts";
import { writeChecks } from "./write-checks.ts";

const BATCH = 200;
/** How long a frequently checked record is taken for. The death of a worker delays a check by at most this time. */
const TAKEN_SECONDS = 10;
/** Above this number of taken records, the time of a record's last check is written only when it is taken again. */
const MANY = 500;
/** How late results may be looked for if there was no check a moment ago. It costs nothing when there are none. */
const RESULTS_REST_MS = 100;

export function sweepDnsRecords(deps: {
  db: Database;
  dns: Dns;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
  /** Called with the result of each check: `OK`, or the code of the fault. */
  onCheck: (result: string) => void;
  /** Called with how late the record is that is taken next; 0 if none is due. */
  onLate: (seconds: number) => void;
}): readonly [taking: Sweep, writing: Sweep] {
  const { db, clock, onCheck, onLate } = deps;
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const unchanged = createUnchangedChecks(() => performance.now());
  const checks = createChecksUnderWay(
    async (record) => {
      const result = await checkRecord(deps, record);
      onCheck(result.found.error?.code ?? "OK");
      return result;
    },
    () => clock.now(),
    onFailure,
  );
  const taking: Sweep = {
    name: "due DNS records",
    isWoken: true,
    async run(signal) {
      if (!checks.hasRoomFor(BATCH)) return GATHER_MS;
      const nextMs = await dnsRecords.untilDueMs(db);
      onLate(Math.max(0, -(nextMs ?? 0)) / 1_000);
      if (nextMs === null || nextMs > 0) return restUntil(nextMs);
      const due = await takeDue(db, unchanged);
      for (const one of due) checks.begin(one, signal);
      return due.length === BATCH ? 0 : restUntil(0);
    },
  };
  const writing: Sweep = {
    name: "results of DNS checks",
    async run() {
      await writeChecks(deps, checks.takeEnded(), unchanged, checks.size > MANY, onFailure);
      for (let asked = checks.takeAskedMeanwhile(); asked !== null; asked = checks.takeAskedMeanwhile())
        await dnsRecords.checkNow(db, asked.organizationId, asked.domainId);
      if (failures.length > 0) throw failures.shift();
      return checks.size > 0 ? GATHER_MS : RESULTS_REST_MS;
    },
  };
  return [taking, writing];
}

/**
 * Takes the records that are due. Their next check is postponed beyond the checks they are taken for, so that other
 * workers skip them. The death of a worker delays the checks until then.
 */
async function takeDue(db: Database, unchanged: UnchangedChecks): Promise<readonly Taken[]> {
  const taken = await db.transaction(async (tx) => {
    const due = await dnsRecords.lockDue(tx, BATCH);
    const each = due.map((record) => {
      const againSeconds = againAfterSeconds(record.status, record.youngSeconds, Math.random());
      const checks = Math.max(1, Math.floor(TAKEN_SECONDS / againSeconds));
      return { record, checks, againSeconds, checkedAt: unchanged.checkedAt(record) };
    });
    const rests = each.map((one) => ({ ...one, againSeconds: one.againSeconds * one.checks }));
    if (due.length > 0) await dnsRecords.putOff(tx, rests);
    return each;
  });
  return taken.map(({ record, checks, againSeconds, checkedAt }) => {
    if (checkedAt === null) return { record, checks, againSeconds };
    unchanged.drop(record, checkedAt);
    return { record: { ...record, lastCheckAt: checkedAt }, checks, againSeconds };
  });
}
