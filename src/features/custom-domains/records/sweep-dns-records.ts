/**
 * Checks the DNS records of all domains, for their whole life: constant work, with the same cost whether they are set
 * or not. When a record becomes right or wrong, its group is reconciled. With each verification record, the CAA records
 * that govern the domain are checked. If they would refuse the provider, the record that would allow it is shown too.
 *
 * Checks do not wait for each other. Most take a millisecond, but a check at silent name servers takes seconds, and
 * would delay all others of a batch.
 *
 * A worker takes a record for all its checks in the next few seconds. Taking a record costs more than a check, so at
 * the highest rate of checks the database is asked only before every fifth.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../lib/clock.ts";
import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import type { Dns, ExpectedRecord, RecordCheck } from "../../../dns/dns.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import type { Sweep } from "../../../jobs/worker.ts";
import { againAfterSeconds } from "./check-interval.ts";
import type { DnsRecord } from "../custom-domain.ts";
import { authorizationRecord } from "./dns-record.ts";
import { isCaaDue, isQuickLook, statusAfter } from "./record-status.ts";
import { dnsRecords, type DueRecord } from "./dns-record-store.ts";
import { createUnchangedLooks } from "./unchanged-looks.ts";

const BATCH = 200;
const MOST_UNDER_WAY = 1_000;
const REST_MS = 250;
/** While checks are running. Their results are soon written, together. */
const GATHER_MS = 20;
/** How many connections write changes at a time; the others are for requests and for steps. */
const WRITERS = 4;
/** A check that itself failed is soon repeated. */
const UNCLEAR_SECONDS = 30;
/** How long a frequently checked record is taken for. The death of a worker delays a check by at most this time. */
const TAKEN_SECONDS = 10;
/** Above this number of taken records, the time of a record's last check is written only when it is taken again. */
const MANY = 500;

/** A record and the checks for which it is taken. */
type Taken = { readonly record: DueRecord; readonly looks: number; readonly againSeconds: number };

type Look = {
  readonly record: DueRecord;
  readonly found: RecordCheck;
  /** The record's status after the check. */
  readonly status: DnsRecord["status"];
};

export function sweepDnsRecords(deps: {
  db: Database;
  dns: Dns;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
  /** Called with the result of each check: `OK`, or the code of the fault. */
  onLook: (result: string) => void;
}): Sweep {
  const { db, dns, clock, jobs, caaIssuers, onLook } = deps;
  const ended: Look[] = [];
  const failures: unknown[] = [];
  /** The records that are being checked or soon will be, by id. */
  const atHand = new Map<string, Taken>();
  /** Ids of records. */
  const underWay = new Set<string>();
  /** Records that a client asked for during a check, which may have begun before the client's change. */
  const askedMeanwhile = new Map<string, DueRecord>();
  const unchanged = createUnchangedLooks(() => performance.now());

  /**
   * Takes the records that are due. Their next check is postponed beyond the checks they are taken for, so that other
   * workers skip them. The death of a worker delays the checks until then.
   */
  async function takeDue(): Promise<readonly Taken[]> {
    const taken = await db.transaction(async (tx) => {
      const due = await dnsRecords.lockDue(tx, BATCH);
      const each = due.map((record) => {
        const againSeconds = againAfterSeconds(record.status, record.youngSeconds, Math.random());
        const looks = Math.max(1, Math.floor(TAKEN_SECONDS / againSeconds));
        return { record, looks, againSeconds, lookedAt: unchanged.lookedAt(record) };
      });
      const rests = each.map((one) => ({ ...one, againSeconds: one.againSeconds * one.looks }));
      if (due.length > 0) await dnsRecords.putOff(tx, rests);
      return each;
    });
    return taken.map(({ record, looks, againSeconds, lookedAt }) => {
      if (lookedAt === null) return { record, looks, againSeconds };
      unchanged.drop(record, lookedAt);
      return { record: { ...record, lastCheckAt: lookedAt }, looks, againSeconds };
    });
  }

  function begin(taken: Taken, signal: AbortSignal): void {
    const { id } = taken.record;
    // The record is due again while its last check still waits for name servers.
    if (underWay.has(id)) {
      if (taken.record.isAsked) askedMeanwhile.set(id, taken.record);
      return;
    }
    atHand.set(id, taken);
    lookAgainAndAgain(taken, signal)
      .catch((error: unknown) => failures.push(error))
      .finally(() => {
        if (atHand.get(id) === taken) atHand.delete(id);
      });
  }

  /** Ends sooner when there is a change to write; its next check is written with the change. */
  async function lookAgainAndAgain(taken: Taken, signal: AbortSignal): Promise<void> {
    let { record } = taken;
    for (let left = taken.looks; left > 0; left -= 1) {
      if (left < taken.looks) await rest(taken.againSeconds * 1_000);
      if (signal.aborted || atHand.get(record.id) !== taken) return;
      // Skip it: its check still waits for name servers.
      if (underWay.size >= MOST_UNDER_WAY) continue;
      underWay.add(record.id);
      const look = await lookAt(record).finally(() => underWay.delete(record.id));
      if (isChange(look)) return;
      const { value, error } = look.found;
      const seen = { lastCheckAt: clock.now(), lastCheckValue: value, lastCheckError: error ?? {} };
      record = { ...record, ...seen, isAsked: false };
    }
  }

  async function lookAt(record: DueRecord): Promise<Look> {
    // Ask everything again for a client: the client may just have changed anything.
    const { isAsked: isFresh } = record;
    const isCaaLooked =
      record.purpose === "CERTIFICATE_DOMAIN_VERIFICATION" &&
      (isFresh || isCaaDue(record.lastCheckAt, clock.now()));
    const isQuick = !isFresh && isQuickLook(record, clock.now());
    const [found] = await Promise.all([
      dns.check(expected(record, caaIssuers), { isQuick, isFresh }),
      isCaaLooked ? lookAtCaa(record) : undefined,
    ]);
    onLook(found.error?.code ?? "OK");
    const look = { record, found, status: statusAfter(record, found.error) };
    ended.push(look);
    return look;
  }

  async function lookAtCaa({ organizationId, domainId, domainName, isAsked }: DueRecord): Promise<void> {
    const refusal = await dns.findCaaRefusal(domainName, caaIssuers, { isFresh: isAsked });
    const [issuer] = caaIssuers;
    if (refusal === null || issuer === undefined) return;
    const wanted = authorizationRecord({ organizationId, id: domainId, name: domainName }, refusal, issuer);
    await db.transaction(async (tx) => {
      const isNew = await dnsRecords.put(tx, wanted);
      if (isNew) announceChange(tx, domainId);
    });
  }

  async function record(looks: readonly Look[]): Promise<void> {
    const kept = looks.filter((look) => !isChange(look));
    for (const look of kept) {
      if (!isNews(look)) unchanged.add({ record: look.record, lookedAt: clock.now() });
    }
    const news = kept.filter(isNews);
    if (news.length > 0) await recordNews(news);
    const old = unchanged.takeOld(atHand.size > MANY);
    if (old.length > 0) await dnsRecords.recordUnchanged(db, old);
    const changes = looks.filter(isChange).values();
    const write = async (): Promise<void> => {
      for (const look of changes) {
        await recordChange(look).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  async function recordNews(looks: readonly Look[]): Promise<void> {
    const checks = looks.map(({ record, found: { value, error } }) => {
      return { record, value, error: error ?? {} };
    });
    await db.transaction(async (tx) => {
      await dnsRecords.recordLooks(tx, clock.now(), checks);
      for (const { record } of looks) announceChange(tx, record.domainId);
    });
  }

  async function recordChange({ record, found, status }: Look): Promise<void> {
    const { organizationId, domainId, groupId, purpose } = record;
    const againSeconds =
      record.status === status ? UNCLEAR_SECONDS : againAfterSeconds(status, 0, Math.random());
    const check = { at: clock.now(), value: found.value, error: found.error ?? {}, status, againSeconds };
    await db.transaction(async (tx) => {
      if (isUnneeded(record, found)) await dnsRecords.delete(tx, organizationId, domainId, purpose);
      else await dnsRecords.recordCheck(tx, record, check);
      announceChange(tx, domainId);
      if (record.status !== status && !isUnneeded(record, found)) {
        await jobs.poke(tx, "domain-certificate-group", { organizationId, id: groupId });
      }
    });
  }

  /** After the results of the running checks were written, because they say when the next check is due. */
  async function askAgain(): Promise<void> {
    for (const [id, { organizationId, domainId }] of askedMeanwhile) {
      if (underWay.has(id) || ended.some((look) => look.record.id === id)) continue;
      askedMeanwhile.delete(id);
      await dnsRecords.checkNow(db, organizationId, domainId);
    }
  }

  return {
    name: "DNS records",
    async run(signal) {
      const hasRoom = underWay.size <= MOST_UNDER_WAY - BATCH;
      const [due] = await Promise.all([hasRoom ? takeDue() : [], record(ended.splice(0))]);
      for (const one of due) begin(one, signal);
      await askAgain();
      if (failures.length > 0) throw failures.shift();
      if (due.length === BATCH) return 0;
      return atHand.size > 0 ? GATHER_MS : REST_MS;
    },
  };
}

/**
 * Many pauses end at the same moment, so that the next checks go to the other thread together. The timers do not keep
 * the process alive: there are thousands, and shutdown need not wait for them.
 */
function rest(ms: number): Promise<void> {
  const now = performance.now();
  const end = Math.ceil((now + ms) / GATHER_MS) * GATHER_MS;
  return sleep(end - now, undefined, { ref: false });
}

/** Without any CAA record every authority may issue, so none needs to be set. */
function isUnneeded({ purpose }: DueRecord, { value, error }: RecordCheck): boolean {
  return purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && value === null && error === null;
}

/** Whether more than the result has to be written: the status, the time of the next check, or a removal. */
function isChange({ record, found, status }: Look): boolean {
  const isUnclear = status === "OK" && found.error !== null;
  return record.status !== status || isUnclear || isUnneeded(record, found);
}

/** For a record with the same status: whether readers see a difference, other than a time that nobody asked for. */
function isNews({ record, found }: Look): boolean {
  const { code, message } = record.lastCheckError ?? {};
  return (
    record.isAsked ||
    record.lastCheckAt === null ||
    record.lastCheckValue !== found.value ||
    code !== found.error?.code ||
    message !== found.error?.message
  );
}

function expected(
  { type, name, value }: { type: "CNAME" | "ALIAS" | "CAA"; name: string; value: string },
  issuers: readonly string[],
): ExpectedRecord {
  return type === "CAA" ? { type, name, value, issuers } : { type, name, value };
}
