/**
 * Looks at the DNS records of all domains, for their whole life: constant work, the same cost whether
 * they are set or not. When one becomes right or stops being so, its group is looked at. Beside the
 * verification record goes a look at the CAA records that govern the domain: where they would refuse the
 * provider, the record that would let it issue is shown too.
 *
 * Looks do not wait for each other. Most take a millisecond, but one at name servers that do not answer takes
 * seconds, and in a batch it would hold up all others.
 */
import type { Clock } from "../clock.ts";
import { announceChange } from "../db/changes.ts";
import type { Database } from "../db/database.ts";
import type { Dns, ExpectedRecord, RecordCheck } from "../dns/dns.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Sweep } from "../jobs/worker.ts";
import { againAfterSeconds } from "./check-interval.ts";
import type { DnsRecord } from "./custom-domain.ts";
import { authorizationRecord } from "./dns-record.ts";
import { isCaaDue, isQuickLook, statusAfter } from "./record-status.ts";
import { dnsRecords, type DueRecord } from "./dns-record-store.ts";
import { createUnchangedLooks } from "./unchanged-looks.ts";

/** Few enough that their answers, which come together, do not hold up the steps that the same process takes. */
const BATCH = 50;
const MOST_UNDER_WAY = 1_000;
const REST_MS = 250;
/** While looks are under way: what they find is written down together, and soon. */
const GATHER_MS = 20;
/** Changes are written at so many connections at once; the others are for requests and for steps. */
const WRITERS = 4;
/** A look that failed by itself is soon repeated. */
const UNCLEAR_SECONDS = 30;

type Look = {
  readonly record: DueRecord;
  readonly found: RecordCheck;
  /** That of the record after what was found. */
  readonly status: DnsRecord["status"];
};

export function sweepDnsRecords(deps: {
  db: Database;
  dns: Dns;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
  /** Is told of each look: `OK`, or the code of what was wrong. */
  onLook: (result: string) => void;
}): Sweep {
  const { db, dns, clock, jobs, caaIssuers, onLook } = deps;
  const ended: Look[] = [];
  const failures: unknown[] = [];
  /** By the record's id. */
  const underWay = new Set<string>();
  const unchanged = createUnchangedLooks(() => performance.now());
  /** More was due than was taken. */
  let isBusy = false;

  /**
   * Takes what is due by putting it off to when it is due next, so that another worker passes over it; one that dies
   * meanwhile delays its looks to their next time.
   */
  async function takeDue(): Promise<readonly DueRecord[]> {
    const taken = await db.transaction(async (tx) => {
      const due = await dnsRecords.lockDue(tx, BATCH);
      const rests = due.map((record) => {
        const againSeconds = againAfterSeconds(record.status, record.youngSeconds, Math.random());
        return { record, againSeconds, lookedAt: unchanged.lookedAt(record) };
      });
      if (due.length > 0) await dnsRecords.putOff(tx, rests);
      return rests;
    });
    return taken.map(({ record, lookedAt }) => {
      if (lookedAt === null) return record;
      unchanged.drop(record, lookedAt);
      return { ...record, lastCheckAt: lookedAt };
    });
  }

  function begin(record: DueRecord): void {
    // It is due again while name servers still let us wait.
    if (underWay.has(record.id)) return;
    underWay.add(record.id);
    lookAt(record)
      .catch((error: unknown) => failures.push(error))
      .finally(() => underWay.delete(record.id));
  }

  async function lookAt(record: DueRecord): Promise<void> {
    const isCaaLooked =
      record.purpose === "CERTIFICATE_DOMAIN_VERIFICATION" && isCaaDue(record.lastCheckAt, clock.now());
    const [found] = await Promise.all([
      dns.check(expected(record, caaIssuers), { isQuick: isQuickLook(record, clock.now()) }),
      isCaaLooked ? lookAtCaa(record) : undefined,
    ]);
    onLook(found.error?.code ?? "OK");
    ended.push({ record, found, status: statusAfter(record, found.error) });
  }

  async function lookAtCaa({ organizationId, domainId, domainName }: DueRecord): Promise<void> {
    const refusal = await dns.findCaaRefusal(domainName, caaIssuers);
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
    const old = unchanged.takeOld(isBusy);
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

  return {
    name: "DNS records",
    async run() {
      const hasRoom = underWay.size <= MOST_UNDER_WAY - BATCH;
      const [due] = await Promise.all([hasRoom ? takeDue() : [], record(ended.splice(0))]);
      for (const one of due) begin(one);
      isBusy = !hasRoom || due.length === BATCH;
      if (failures.length > 0) throw failures.shift();
      if (due.length === BATCH) return 0;
      return underWay.size > 0 ? GATHER_MS : REST_MS;
    },
  };
}

/** Without any CAA record everybody may issue, so that none is to be set. */
function isUnneeded({ purpose }: DueRecord, { value, error }: RecordCheck): boolean {
  return purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && value === null && error === null;
}

/** Whether more is to be written than what was found: its status, when to look again, or that it goes. */
function isChange({ record, found, status }: Look): boolean {
  const isUnclear = status === "OK" && found.error !== null;
  return record.status !== status || isUnclear || isUnneeded(record, found);
}

/** Of a record that stays in its status: whether readers see something else, but for a time that nobody asked for. */
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
