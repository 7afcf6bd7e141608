/**
 * The CA's loop over the certificates that wait for their validation records, and over those in use
 * that need renewal. Every lookup is a real DNS query, as for any other client.
 *
 * A change in the sandbox's DNS makes the certificates that wait for that name due at once.
 * The others are checked in turn, at a rate that does not grow with their number: even ten thousand
 * waiting certificates cost at most a few hundred queries a second.
 */
import { fullBucket, takeToken, type Rate } from "../../../src/lib/pace/token-bucket.ts";
import { isAllowedByCaa } from "../dns/caa.ts";
import { validationRecordOf, type SandboxCertificates, type StoredCertificate } from "./certificates.ts";
import type { DnsRecord } from "../../../src/dns/wire/message.ts";
import type { DnsServer } from "../../../src/dns/wire/servers.ts";
import { createCaResolver } from "../dns/ca-resolver.ts";
import { normalizeName } from "../dns/names.ts";
import type { SandboxLog } from "../accounts/stacks.ts";
import type { SandboxTuning } from "../tuning.ts";

export type Validation = {
  /** To be called when a name's records in the DNS have changed. */
  noteDnsChange(name: string): void;
  stop(): Promise<void>;
};

const MAX_AT_ONCE = 50;
/** In certificates. */
const WALK: Rate = { perSecond: 200, burst: MAX_AT_ONCE };
const RENEWALS = "renewals";

export function startValidation(options: {
  certificates: SandboxCertificates;
  dns: DnsServer;
  tuning: SandboxTuning;
  now: () => number;
  isInUse: (certificateId: string) => boolean;
  log: SandboxLog;
}): Validation {
  const { certificates, dns, tuning, now, isInUse, log } = options;
  /** In the order in which they are checked; a checked certificate moves to the end. */
  const waiting = new Set<string>();
  const idsByRecordName = new Map<string, Set<string>>();
  const due = new Set<string>();
  const walk = fullBucket(WALK, performance.now());
  let lastRenewalAt = performance.now();
  let timer: NodeJS.Timeout;
  /** The running checks, by certificate id, or under `RENEWALS`. */
  const underWay = new Map<string, Promise<void>>();
  let isStopped = false;

  const resolver = createCaResolver(dns);

  function add(certificate: StoredCertificate): void {
    waiting.add(certificate.id);
    due.add(certificate.id);
    for (const name of recordNamesOf(certificate)) {
      const ids = idsByRecordName.get(name) ?? new Set();
      idsByRecordName.set(name, ids.add(certificate.id));
    }
  }
  function drop(id: string): void {
    waiting.delete(id);
    due.delete(id);
    const certificate = certificates.get(id);
    if (certificate === undefined) return;
    for (const name of recordNamesOf(certificate)) idsByRecordName.get(name)?.delete(id);
  }
  for (const certificate of certificates.all()) {
    if (certificates.statusOf(certificate) === "PENDING_VALIDATION") add(certificate);
  }
  certificates.onRequested(add);

  async function hasRecord(accountId: string, name: string): Promise<boolean> {
    const record = validationRecordOf(accountId, name);
    return (await resolver.ask(record.name, "CNAME")).some((answer) => pointsTo(answer, record.value));
  }

  async function validate(id: string): Promise<void> {
    const certificate = certificates.get(id);
    if (certificate === undefined || certificates.statusOf(certificate) !== "PENDING_VALIDATION") {
      drop(id);
      return;
    }
    if (now() - certificate.requestedAt < tuning.recordDelayMs) {
      due.add(id);
      return;
    }
    const validated = [...certificate.validated];
    for (const name of certificate.names) {
      if (!validated.includes(name) && (await hasRecord(certificate.accountId, name))) validated.push(name);
    }
    const refused: string[] = [];
    if (certificate.names.every((name) => validated.includes(name))) {
      for (const name of certificate.names) {
        if (!(await isAllowedByCaa(name, (at) => resolver.ask(at, "CAA")))) refused.push(name);
      }
    }
    certificates.recordValidation(id, validated, refused);
  }

  async function renewDue(): Promise<void> {
    for (const certificate of certificates.all()) {
      const endsSoon =
        certificate.issued !== null && now() >= certificate.issued.expiresAt - tuning.renewBeforeMs;
      if (!endsSoon || certificates.statusOf(certificate) !== "ISSUED" || !isInUse(certificate.id)) continue;
      let arePresent = true;
      for (const name of certificate.names) {
        arePresent &&= await hasRecord(certificate.accountId, name);
      }
      certificates.recordRenewal(certificate.id, arePresent);
    }
  }

  /** Starts as many checks as allowed without waiting for them: a query without an answer takes two seconds. */
  function tick(): void {
    const at = performance.now();
    for (const id of due) {
      if (underWay.size >= MAX_AT_ONCE) break;
      if (underWay.has(id)) continue;
      due.delete(id);
      // Without this, it would only be checked again after all others.
      look(id, () => due.add(id));
    }
    let left = waiting.size;
    for (const id of waiting) {
      if (left === 0 || underWay.size >= MAX_AT_ONCE) break;
      left -= 1;
      if (underWay.has(id)) continue;
      if (!takeToken(walk, WALK, at)) break;
      look(id);
    }
    if (at - lastRenewalAt >= tuning.renewalIntervalMs) {
      lastRenewalAt = at;
      if (!underWay.has(RENEWALS)) begin(RENEWALS, renewDue);
    }
  }

  function look(id: string, onFailed?: () => void): void {
    if (!waiting.delete(id)) return;
    waiting.add(id);
    begin(id, () => validate(id), onFailed);
  }

  function begin(key: string, work: () => Promise<void>, onFailed?: () => void): void {
    underWay.set(
      key,
      attempt(work, onFailed).finally(() => underWay.delete(key)),
    );
  }

  /** A query without an answer is repeated in a later turn. */
  async function attempt(work: () => Promise<void>, onFailed?: () => void): Promise<void> {
    try {
      await work();
    } catch (error) {
      onFailed?.();
      if (!isStopped) log.warn({ err: error }, "The sandbox's CA could not finish a look-up in the DNS.");
    }
  }

  function schedule(): void {
    timer = setTimeout(() => {
      tick();
      schedule();
    }, tuning.validationIntervalMs);
  }
  schedule();

  return {
    noteDnsChange(name) {
      for (const id of idsByRecordName.get(name) ?? []) due.add(id);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await Promise.all(underWay.values());
      resolver.close();
    },
  };
}

function recordNamesOf(certificate: StoredCertificate): readonly string[] {
  return certificate.names.map((name) => validationRecordOf(certificate.accountId, name).name);
}

/** ACM takes the value with or without its leading underscore and final dot. */
function pointsTo(record: DnsRecord, value: string): boolean {
  const bare = (text: string) => text.replace(/^_/, "");
  return record.type === "CNAME" && bare(record.value) === bare(normalizeName(value));
}
