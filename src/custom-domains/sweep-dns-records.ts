/**
 * Looks at the DNS records of all domains, for their whole life: constant work, the same cost whether
 * they are set or not. When one becomes right or stops being so, its group is looked at. Beside the
 * verification record goes a look at the CAA records that govern the domain: where they would refuse the
 * provider, the record that would let it issue is shown too.
 */
import type { Clock } from "../clock.ts";
import { announceChange } from "../db/changes.ts";
import type { Database } from "../db/database.ts";
import type { Dns, ExpectedRecord, RecordCheck } from "../dns/dns.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Sweep } from "../jobs/worker.ts";
import { againAfterSeconds } from "./check-interval.ts";
import { authorizationRecord } from "./dns-record.ts";
import { isCaaDue, statusAfter } from "./record-status.ts";
import { dnsRecords, type DueRecord } from "./store.ts";

const BATCH = 200;
const REST_MS = 250;
/** A look that failed by itself is soon repeated. */
const UNCLEAR_SECONDS = 30;

export function sweepDnsRecords(deps: {
  db: Database;
  dns: Dns;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
}): Sweep {
  const { db, dns, clock, jobs, caaIssuers } = deps;

  /** Records what is new. @returns what is as it was, to be recorded together */
  async function checkOne(record: DueRecord): Promise<SameLook | null> {
    const isCaaLooked =
      record.purpose === "CERTIFICATE_DOMAIN_VERIFICATION" && isCaaDue(record.lastCheckAt, clock.now());
    const [found] = await Promise.all([
      dns.check(expected(record, caaIssuers)),
      isCaaLooked ? lookAtCaa(record) : undefined,
    ]);
    if (record.purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && isUnneeded(found)) {
      await dropRecord(record);
      return null;
    }
    return await recordOne(record, found);
  }

  async function recordOne(record: DueRecord, found: RecordCheck): Promise<SameLook | null> {
    const status = statusAfter(record, found.error);
    const { organizationId, domainId, groupId } = record;
    const isUnclear = status === "OK" && found.error !== null;
    const againSeconds = isUnclear
      ? UNCLEAR_SECONDS
      : againAfterSeconds(status, record.youngSeconds, Math.random());
    const isNews = record.status !== status || isOther(record, found);
    if (!isNews) return { record, againSeconds };
    const check = { at: clock.now(), value: found.value, error: found.error ?? {}, status, againSeconds };
    await db.transaction(async (tx) => {
      await dnsRecords.recordCheck(tx, record, check);
      await announceChange(tx, domainId);
      if (record.status !== status) {
        await jobs.poke(tx, "domain-certificate-group", { organizationId, id: groupId });
      }
    });
    return null;
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

  async function dropRecord({ organizationId, domainId, purpose }: DueRecord): Promise<void> {
    await db.transaction(async (tx) => {
      await dnsRecords.delete(tx, organizationId, domainId, purpose);
      await announceChange(tx, domainId);
    });
  }

  return {
    name: "DNS records",
    async run() {
      const due = await dnsRecords.takeDue(db, BATCH);
      const looks = await Promise.all(due.map(checkOne));
      const same = looks.filter((look) => look !== null);
      if (same.length > 0) await dnsRecords.recordSame(db, clock.now(), same);
      return due.length === BATCH ? 0 : REST_MS;
    },
  };
}

type SameLook = { readonly record: DueRecord; readonly againSeconds: number };

/** Without any CAA record everybody may issue, so that none is to be set. */
function isUnneeded({ value, error }: RecordCheck): boolean {
  return value === null && error === null;
}

function isOther(
  record: { lastCheckValue: string | null; lastCheckError: { code?: string } | null },
  found: RecordCheck,
): boolean {
  return record.lastCheckValue !== found.value || record.lastCheckError?.code !== found.error?.code;
}

function expected(
  { type, name, value }: { type: "CNAME" | "ALIAS" | "CAA"; name: string; value: string },
  issuers: readonly string[],
): ExpectedRecord {
  return type === "CAA" ? { type, name, value, issuers } : { type, name, value };
}
