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
import { isCaaDue, statusAfter } from "./record-status.ts";
import { dnsRecords, type DueRecord } from "./store.ts";

const BATCH = 200;
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
  readonly againSeconds: number;
};

export function sweepDnsRecords(deps: {
  db: Database;
  dns: Dns;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
}): Sweep {
  const { db, dns, clock, jobs, caaIssuers } = deps;
  const ended: Look[] = [];
  const failures: unknown[] = [];
  let underWay = 0;

  function begin(record: DueRecord): void {
    underWay += 1;
    lookAt(record)
      .catch((error: unknown) => failures.push(error))
      .finally(() => (underWay -= 1));
  }

  async function lookAt(record: DueRecord): Promise<void> {
    const isCaaLooked =
      record.purpose === "CERTIFICATE_DOMAIN_VERIFICATION" && isCaaDue(record.lastCheckAt, clock.now());
    const [found] = await Promise.all([
      dns.check(expected(record, caaIssuers)),
      isCaaLooked ? lookAtCaa(record) : undefined,
    ]);
    const status = statusAfter(record, found.error);
    const isUnclear = status === "OK" && found.error !== null;
    const againSeconds = isUnclear
      ? UNCLEAR_SECONDS
      : againAfterSeconds(status, record.youngSeconds, Math.random());
    ended.push({ record, found, status, againSeconds });
  }

  async function lookAtCaa({ organizationId, domainId, domainName }: DueRecord): Promise<void> {
    const refusal = await dns.findCaaRefusal(domainName, caaIssuers);
    const [issuer] = caaIssuers;
    if (refusal === null || issuer === undefined) return;
    const wanted = authorizationRecord({ organizationId, id: domainId, name: domainName }, refusal, issuer);
    await db.transaction(async (tx) => {
      const isNew = await dnsRecords.put(tx, wanted);
      if (isNew) await announceChange(tx, domainId);
    });
  }

  async function record(looks: readonly Look[]): Promise<void> {
    const kept = looks.filter((look) => !isChange(look));
    if (kept.length > 0) await recordKept(kept);
    const changes = looks.filter(isChange).values();
    const write = async (): Promise<void> => {
      for (const look of changes) {
        await recordChange(look).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  async function recordKept(looks: readonly Look[]): Promise<void> {
    const checks = looks.map(({ record, found: { value, error }, againSeconds }) => {
      return { record, againSeconds, value, error: error ?? {} };
    });
    await db.transaction(async (tx) => {
      await dnsRecords.recordLooks(tx, clock.now(), checks);
      for (const { record } of looks.filter(isNews)) await announceChange(tx, record.domainId);
    });
  }

  async function recordChange({ record, found, status, againSeconds }: Look): Promise<void> {
    const { organizationId, domainId, groupId, purpose } = record;
    const check = { at: clock.now(), value: found.value, error: found.error ?? {}, status, againSeconds };
    await db.transaction(async (tx) => {
      if (isUnneeded(record, found)) await dnsRecords.delete(tx, organizationId, domainId, purpose);
      else await dnsRecords.recordCheck(tx, record, check);
      await announceChange(tx, domainId);
      if (record.status !== status && !isUnneeded(record, found)) {
        await jobs.poke(tx, "domain-certificate-group", { organizationId, id: groupId });
      }
    });
  }

  return {
    name: "DNS records",
    async run() {
      const due = underWay > MOST_UNDER_WAY - BATCH ? [] : await dnsRecords.takeDue(db, BATCH);
      for (const one of due) begin(one);
      await record(ended.splice(0));
      if (failures.length > 0) throw failures.shift();
      if (due.length === BATCH) return 0;
      return underWay > 0 ? GATHER_MS : REST_MS;
    },
  };
}

/** Without any CAA record everybody may issue, so that none is to be set. */
function isUnneeded({ purpose }: DueRecord, { value, error }: RecordCheck): boolean {
  return purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && value === null && error === null;
}

/** Whether more than the record itself is concerned. */
function isChange({ record, found, status }: Look): boolean {
  return record.status !== status || isUnneeded(record, found);
}

/** Of a record that stays in its status: whether readers see something else. */
function isNews({ record, found }: Look): boolean {
  return record.lastCheckValue !== found.value || record.lastCheckError?.code !== found.error?.code;
}

function expected(
  { type, name, value }: { type: "CNAME" | "ALIAS" | "CAA"; name: string; value: string },
  issuers: readonly string[],
): ExpectedRecord {
  return type === "CAA" ? { type, name, value, issuers } : { type, name, value };
}
