import { isIP } from "node:net";
import { type Budget, makeAsk } from "./ask.ts";
import { createAuthority } from "./authority.ts";
import { explainRefusal, findCaaDisagreement, findCaaSet, refusesIssuers } from "./caa.ts";
import { isBogus } from "./dnssec.ts";
import { createDnsClient } from "./wire/client.ts";
import { busyCheck, diagnoseCaa, diagnoseDnssec, diagnoseHost, endedBy } from "./diagnose.ts";
import type { Dns, ExpectedRecord, RecordCheck } from "./dns.ts";
import { createEdge } from "./edge.ts";
import { collectHost } from "./collect-host.ts";
import { normalizeName, registrableDomainOf } from "./names.ts";
import { makeIsProxyAddress } from "./proxy.ts";
import { findTexts } from "./find-txt.ts";
import type { Question } from "./wire/message.ts";
import { createQueue } from "./wire/queue.ts";
import { canonicalAddress, type DnsServer, makeRoute, type Route } from "./wire/servers.ts";
import { createZones } from "./zones.ts";

export type DnsOptions = {
  /** The resolvers. A resolver that is itself an authority, as the sandbox's is, is also dialled here as one. */
  readonly servers: readonly DnsServer[];
  /** Time for one try of one question. Three tries of a zone's servers and two of a resolver fit into the deadline. */
  readonly timeoutMs?: number;
  /** Time for a whole check, including its time in the queue; the contract allows 5 s. */
  readonly deadlineMs?: number;
  /** How many checks run at once; others wait in a queue. */
  readonly maxConcurrent?: number;
  /** The places where a target's edge answers over TLS. Default: port 443, only at public addresses. */
  readonly edge?: { readonly port: number; readonly allowsLoopback: boolean };
  /** Which addresses of authoritative servers may be dialled. `makeRoute(servers)` protects internal networks. */
  readonly route?: Route;
};

/** Enough to discover a zone and compare its servers. A zone that needs more questions is misleading us. */
const MAX_QUERIES_PER_CHECK = 128;

/**
 * The DNS client for DNS checks. `close` lets running checks end, and then releases the sockets.
 * @throws Error if a server's host is not an IP address.
 */
export function createDns(options: DnsOptions): Dns {
  const { timeoutMs = 700, deadlineMs = 4500, maxConcurrent = 256 } = options;
  const resolvers = options.servers.map(({ host, port }) => {
    if (isIP(host) === 0) throw new Error(`The DNS server "${host}" is not an IP address.`);
    return { host: canonicalAddress(host), port };
  });
  const route = options.route ?? makeRoute(resolvers);
  const client = createDnsClient();
  const ask = makeAsk(client, timeoutMs);
  const zones = createZones({ ask, resolvers, route });
  const authority = createAuthority({ ask, zones });
  const { port, allowsLoopback } = options.edge ?? { port: 443, allowsLoopback: false };
  const edge = createEdge({
    port,
    mayDial: (address) => (allowsLoopback && address.startsWith("127.")) || route(address).length > 0,
  });
  const parts = { authority, zones, edge, isProxyAddress: makeIsProxyAddress() };
  const queue = createQueue(maxConcurrent);

  function run<T>(work: (budget: Budget) => Promise<T>, late: () => T, isFresh = false): Promise<T> {
    const now = performance.now();
    const freshAfter = isFresh ? now : -Infinity;
    const budget = { deadlineAt: now + deadlineMs, freshAfter, queriesLeft: MAX_QUERIES_PER_CHECK };
    return queue.run(() => work(budget), late, deadlineMs);
  }

  async function diagnose(
    record: ExpectedRecord,
    budget: Budget,
    isQuick: boolean,
  ): Promise<{ readonly zone: string; readonly check: RecordCheck }> {
    const bare = normalizeName(record.name);
    if (record.type !== "CAA") {
      const seen = await collectHost(parts, record, { budget, isQuick });
      return { zone: seen.zone ?? bare, check: diagnoseHost(record, seen) };
    }
    const lookUp = (question: Question) => authority.lookUp(question, budget);
    const set = await findCaaSet(bare, lookUp);
    const zone = registrableDomainOf(bare) ?? bare;
    const lookUpAtEach = (question: Question) => authority.lookUpAtEach(question, budget);
    const disagreement =
      set?.kind === "failed"
        ? null
        : await findCaaDisagreement(bare, record.issuers, zone, { lookUp, lookUpAtEach });
    return { zone, check: diagnoseCaa(record, set, disagreement) };
  }

  /**
   * A name server gives its answers however broken their signatures are, so the resolvers are asked too. While a record
   * is missing, they are asked for the zone instead: they would remember that the record is not there.
   */
  function isZoneBogus(
    record: ExpectedRecord,
    zone: string,
    { error }: RecordCheck,
    budget: Budget,
  ): Promise<boolean> {
    const type = record.type === "ALIAS" ? "A" : record.type;
    const name = normalizeName(record.name);
    const soa: Question = { name: zone, type: "SOA" };
    return isBogus({ ask, resolvers }, error === null ? [{ name, type }, soa] : [soa], budget);
  }

  return {
    check(record, { isQuick = false, isFresh = false } = {}) {
      const work = async (budget: Budget) => {
        const { zone, check } = await diagnose(record, budget, isQuick);
        if (check.error?.code === "NOT_REGISTERED" || (isQuick && check.error !== null)) return check;
        return (await isZoneBogus(record, zone, check, budget)) ? diagnoseDnssec(zone, check) : check;
      };
      return run(work, busyCheck, isFresh);
    },
    findCaaRefusal(name, wanted, { isFresh = false } = {}) {
      return run(
        async (budget) => {
          const set = await findCaaSet(name, (question) => authority.lookUp(question, budget));
          if (set === null) return null;
          if (set.kind === "failed") return undefined;
          const isRefused = refusesIssuers(set.records, normalizeName(name), wanted.issuers);
          return isRefused ? explainRefusal(set, normalizeName(name), wanted) : null;
        },
        () => undefined,
        isFresh,
      );
    },
    findDelegation(name, { isFresh = false } = {}) {
      const bare = normalizeName(name).replace(/^\*\./, "");
      return run(
        (budget) => authority.findDelegation(bare, budget),
        () => null,
        isFresh,
      );
    },
    findEndedWildcard(name, { isFresh = false } = {}) {
      // No record leads to the root, so whatever is at the name is not what is to be set there.
      const record = { type: "CNAME", name, value: "" } as const;
      return run(
        async (budget) => {
          const seen = await collectHost(parts, record, { budget, isQuick: true });
          return seen.failure === null ? endedBy(seen) : undefined;
        },
        () => undefined,
        isFresh,
      );
    },
    findTexts(name, { isFresh = false } = {}) {
      return run(
        (budget) => findTexts(normalizeName(name), (question) => authority.lookUp(question, budget)),
        () => null,
        isFresh,
      );
    },

    async close() {
      await queue.drain();
      client.close();
    },
  };
}
