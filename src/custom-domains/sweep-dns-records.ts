/**
 * Looks at the DNS records of all domains, for their whole life: constant work, the same cost whether
 * they are set or not. When one becomes right or stops being so, its group is looked at.
 */
import type { Clock } from "../clock.ts";
import { announceChange } from "../db/changes.ts";
import type { Database } from "../db/database.ts";
import type { Dns, ExpectedRecord, RecordCheck } from "../dns/dns.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Sweep } from "../jobs/worker.ts";
import { againAfterSeconds } from "./check-interval.ts";
import { dnsRecords } from "./store.ts";

const BATCH = 200;
const REST_MS = 250;

export function sweepDnsRecords(deps: {
  db: Database;
  dns: Dns;
  clock: Clock;
  jobs: Jobs;
  caaIssuers: readonly string[];
}): Sweep {
  const { db, dns, clock, jobs } = deps;
  type DueRecord = Awaited<ReturnType<typeof dnsRecords.takeDue>>[number];

  async function checkOne(record: DueRecord): Promise<void> {
    const found = await dns.check(expected(record, deps.caaIssuers));
    const status = found.error === null ? "OK" : "PENDING";
    const { organizationId, domainId, groupId } = record;
    const check = {
      at: clock.now(),
      value: found.value,
      error: found.error ?? {},
      status,
      againSeconds: againAfterSeconds(status, record.youngSeconds, Math.random()),
    } as const;
    const isNews = record.status !== status || isOther(record, found);
    if (!isNews) return await dnsRecords.recordCheck(db, record, check);
    await db.transaction(async (tx) => {
      await dnsRecords.recordCheck(tx, record, check);
      await announceChange(tx, domainId);
      if (record.status !== status) {
        await jobs.poke(tx, "domain-certificate-group", { organizationId, id: groupId });
      }
    });
  }

  return {
    name: "DNS records",
    async run() {
      const due = await dnsRecords.takeDue(db, BATCH);
      await Promise.all(due.map(checkOne));
      return due.length === BATCH ? 0 : REST_MS;
    },
  };
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
