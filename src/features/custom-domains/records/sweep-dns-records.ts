/**
 * Checks the DNS records of all domains, for their whole life: constant work, with the same cost whether they are set
 * or not. When a record becomes right or wrong, its group is reconciled. A look that finds nothing new writes nothing.
 *
 * A worker reads what comes up soon of its share, and plans its looks. One sweep reads, another writes what was found.
 */
import type { Clock } from "../../../lib/clock.ts";
import type { Database } from "../../../db/database.ts";
import type { Dns } from "../../../dns/dns.ts";
import type { DomainConnect } from "../../../domain-connect/domain-connect.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { restUntil, type Sweep } from "../../../jobs/sweep.ts";
import { checkRecord } from "./check-record.ts";
import { dnsRecords } from "./dns-record-store.ts";
import { createLookShares, type Share } from "./look-shares.ts";
import { BEAT_MS, createLooks, type Looks } from "./looks.ts";
import { comesUpAt, type Cycle, cycleOf, CYCLES } from "./turns.ts";
import { writeChecks } from "./write-checks.ts";

/** How many looks out of turn are begun at a time. */
const BATCH = 200;
/** How late results may be looked for if there was no check a moment ago. It costs nothing when there are none. */
const RESULTS_REST_MS = 100;
type Deps = {
  db: Database;
  dns: Dns;
  /** Null: Slipway is not known to any DNS provider. */
  domainConnect: DomainConnect | null;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
  /** Whether a client waits for a change of a resource, or did a moment ago. */
  isAwaited: (resourceId: string) => boolean;
  /**
   * How many looks a second the worker makes at records that come up with several. Above it only those get all of them
   * that a client waits for; the others get fewer, and one in any case.
   */
  looksASecond: number;
  /** Called with the result of each check: `OK`, or the code of the fault. */
  onCheck: (result: string) => void;
  /** Called with how late the looks are that come next, in seconds; 0 if they are in time. */
  onLate: (seconds: number) => void;
};

/**
 * If at most `FEW` records came up, the database is asked for the next `FEW_AHEAD_MS` instead of the cycle's time: an
 * idle service then asks a quarter as often.
 */
const FEW = 50;
const FEW_AHEAD_MS = 10_000;

/** Until when what comes up has been read, and how far ahead it is read. */
type Cursor = { readonly cycle: Cycle; untilMs: number; aheadMs: number };

export function sweepDnsRecords(deps: Deps): readonly [planning: Sweep, writing: Sweep] {
  const { db, isAwaited, looksASecond, onCheck, onLate } = deps;
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const looks = createLooks(async (record) => {
    const result = await checkRecord(deps, record);
    onCheck(result.found.error?.code ?? "OK");
    return result;
  }, onFailure);
  const shares = createLookShares(db);
  const cursors: readonly Cursor[] = CYCLES.map((cycle) => ({
    cycle,
    untilMs: Infinity,
    aheadMs: cycle.aheadMs,
  }));
  const crowd = createCrowd(looksASecond);

  async function planNext(cursor: Cursor, share: Share, signal: AbortSignal): Promise<void> {
    const { cycle, aheadMs } = cursor;
    const { everyMs } = cycle;
    const now = Date.now();
    // A look that is late by a whole cycle is not made up for: its record has come up again.
    const fromMs = Math.max(cursor.untilMs, now - everyMs);
    if (fromMs > now + aheadMs / 2) return;
    const toMs = fromMs < now - aheadMs ? fromMs + aheadMs : now + aheadMs;
    const due = await dnsRecords.listComingUp(db, cycle, fromMs, toMs, share);
    cursor.untilMs = toMs;
    cursor.aheadMs = due.length > FEW ? cycle.aheadMs : FEW_AHEAD_MS;
    if (cycle.looks > 1) crowd.add(due.length, toMs - fromMs);
    for (const record of due) {
      const isFirst = isAwaited(record.domainId) || isAwaited(record.groupId);
      const count = isFirst ? cycle.looks : crowd.looksOf(cycle);
      const atMs = comesUpAt(record.turn, everyMs, fromMs);
      looks.plan({ record, atMs, looks: count, everyMs: everyMs / count }, signal);
    }
  }

  const planning: Sweep = {
    name: "due DNS records",
    isWoken: true,
    async run(signal) {
      if (signal.aborted) return 0;
      const now = Date.now();
      const readUntilMs = Math.min(now, ...cursors.map(({ untilMs }) => untilMs));
      const { share, againFromMs } = await shares.keep(now, looks.madeUntilMs(readUntilMs));
      if (againFromMs !== null) {
        for (const cursor of cursors) cursor.untilMs = Math.min(cursor.untilMs, againFromMs);
      }
      onLate(Math.max(0, now - readUntilMs) / 1_000);
      const isMoreAsked = await planAsked(db, looks, signal);
      if (!looks.hasRoom()) return BEAT_MS;
      await Promise.all(cursors.map((cursor) => planNext(cursor, share, signal)));
      const isLate = cursors.some(({ untilMs, aheadMs }) => untilMs < Date.now() + aheadMs / 4);
      return isLate || isMoreAsked ? 0 : restUntil(null);
    },
  };
  const writing: Sweep = {
    name: "results of DNS checks",
    async run() {
      const found = looks.takeFound();
      if (found.length > 0) await writeChecks(deps, found, onFailure);
      if (failures.length > 0) throw failures.shift();
      return looks.isIdle() ? RESULTS_REST_MS : BEAT_MS;
    },
  };
  return [planning, writing];
}

/**
 * Plans the looks out of turn, each as if the record came up now. The records that come up soon may have been read
 * before this record changed, so there are looks for that time too. @returns whether there may be more
 */
async function planAsked(db: Database, looks: Looks, signal: AbortSignal): Promise<boolean> {
  const asked = await dnsRecords.listAsked(db, BATCH);
  // A look that is under way may have begun before the client's change. The record is taken after it.
  const free = asked.filter(({ id }) => !looks.isUnderWay(id));
  if (free.length === 0) return false;
  const taken = new Set(await dnsRecords.takeAsked(db, free));
  const atMs = Date.now();
  for (const record of free) {
    if (!taken.has(record.id)) continue;
    const { looks: count, everyMs } = cycleOf(record, atMs);
    const more = Math.floor((FEW_AHEAD_MS * count) / everyMs);
    looks.plan({ record, atMs, looks: count + more, everyMs: everyMs / count }, signal);
  }
  return asked.length === BATCH;
}

/** How many records come up with several looks, and how many looks each can have. */
function createCrowd(looksASecond: number) {
  let records = 0;
  let ms = 0;
  return {
    add(more: number, inMs: number): void {
      // The last ten seconds or so count.
      const kept = Math.max(0, 1 - inMs / 10_000);
      records = records * kept + more;
      ms = ms * kept + inMs;
    },
    looksOf({ looks }: Cycle): number {
      const perSecond = ms === 0 ? 0 : (records / ms) * 1_000;
      return Math.max(1, Math.min(looks, Math.floor(looksASecond / Math.max(1, perSecond))));
    },
  };
}
