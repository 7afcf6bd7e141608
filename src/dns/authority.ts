/**
 * Asks a question at its source: finds the zone through the resolvers, asks the zone's own servers, follows their
 * referrals down, and falls back to the resolvers when none of the servers answers. What failed on the way decides the
 * message: a server that serves the zone but fails for one name is a different fault from servers that do not serve the
 * zone at all.
 */
import { type Ask, type Budget, type Failure, type FailureReason, isUnsent, judgeRcode } from "./ask.ts";
import type { Delegation, PropagationErrorCode } from "./dns.ts";
import { isAskable, isPublicSuffix, isWithin } from "./names.ts";
import { type DnsRecord, type Question, RCODE, type Reply } from "./wire/message.ts";
import type { DnsServer } from "./wire/servers.ts";
import { recordsAt, referralOf, type Zone, type Zones } from "./zones.ts";

export type LookupFailure = {
  readonly kind: "failed";
  readonly code: Extract<
    PropagationErrorCode,
    "SERVFAIL" | "REFUSED" | "TIMEOUT" | "NOT_CHECKED" | "DELEGATION_BROKEN" | "MALFORMED_ANSWER"
  >;
  /** What happened: a sentence, as the start of a message. */
  readonly reason: string;
  readonly zone: string | null;
};

export type Lookup =
  | {
      readonly kind: "answered";
      /** False when nothing exists at or below the name (NXDOMAIN). */
      readonly exists: boolean;
      readonly records: readonly DnsRecord[];
      readonly zone: string | null;
    }
  | LookupFailure;

/** What one name server of a zone answers. */
export type View = { readonly nameServer: string; readonly records: readonly DnsRecord[] };

export type Authority = {
  /** Never rejects. Ends when the budget is spent. */
  lookUp(question: Question, budget: Budget): Promise<Lookup>;
  /**
   * Asks every name server of the innermost zone that `lookUp` found before, because they may disagree. Servers without
   * a usable answer are left out; a zone with one server has no views. Never rejects.
   */
  lookUpAtEach(question: Question, budget: Budget): Promise<readonly View[]>;
  /**
   * The innermost zone of a name. Null if a server on the way to it fails, or if that zone is a public suffix: a
   * registry's servers are not a customer's. Never rejects.
   */
  findDelegation(name: string, budget: Budget): Promise<Delegation | null>;
};

const MAX_REFERRALS = 5;
const FAILING_MS = 5000;

export function createAuthority(parts: { readonly ask: Ask; readonly zones: Zones }): Authority {
  const { ask, zones } = parts;

  async function lookUp(question: Question, budget: Budget): Promise<Lookup> {
    if (!isAskable(question.name)) return unaskable(question.name);
    const start = await zones.find(question.name, budget);
    if (start === null || !("name" in start)) {
      // The resolvers found no zone, or gave an error: their answer to the question is all we have.
      return start === null ? askResolversOnly(question, budget) : failed(null, [], start);
    }
    let zone: Zone = start;
    for (let referrals = 0; referrals < MAX_REFERRALS; referrals += 1) {
      const asked = await askZone(zone, question, budget);
      if (!("authoritative" in asked)) return fallBack(zone, asked, question, budget);
      const child = await zones.findReferred(zone, question.name, asked, budget);
      if (child === null) return answered(asked, zoneOf(asked, question.name, zone.name));
      zone = child;
    }
    return fallBack(zone, [], question, budget);
  }

  async function askZone(
    zone: Zone,
    question: Question,
    budget: Budget,
  ): Promise<Reply | readonly Failure[]> {
    if (zone.failing !== null && zone.failing.until > performance.now()) return zone.failing.failures;
    const judge = (reply: Reply): FailureReason | null => judgeAuthority(zone, question.name, reply);
    const asked = await ask(zone.servers, question, { recursionDesired: false, judge }, budget);
    if ("reply" in asked) {
      // The server that answered comes first from now on, so that a dead one delays us only once.
      if (zone.servers[0] !== asked.server) {
        const isFirst = (server: DnsServer): number => Number(server === asked.server);
        zone.servers = zone.servers.toSorted((a, b) => isFirst(b) - isFirst(a));
      }
      return asked.reply;
    }
    const isSilent = asked.every(({ reason }) => reason === "timeout" || reason === "unreachable");
    // Other faults may concern this one name only, and come back at once anyway.
    if (isSilent && asked.length > 0 && budget.deadlineAt > performance.now()) {
      zone.failing = { until: performance.now() + FAILING_MS, failures: asked };
    }
    return asked;
  }

  async function lookUpAtEach(question: Question, budget: Budget): Promise<readonly View[]> {
    const zone = await zones.find(question.name, budget);
    if (zone === null || !("name" in zone) || zone.failing !== null) return [];
    const servers = [...zone.servers, ...(await zones.findUnlisted(zone, budget))];
    const byNameServer = Map.groupBy(servers, ({ nameServer }) => nameServer);
    if (byNameServer.size < 2) return [];
    const judge = (reply: Reply): FailureReason | null =>
      judgeRcode(reply) ?? (reply.authoritative ? null : "lame");
    const views = await Promise.all(
      [...byNameServer].map(async ([nameServer, places]) => {
        const options = { recursionDesired: false, judge, isOnce: true };
        const asked = await ask(places.slice(0, 1), question, options, budget);
        return "reply" in asked ? [{ nameServer, records: asked.reply.answers }] : [];
      }),
    );
    return views.flat().toSorted((a, b) => (a.nameServer < b.nameServer ? -1 : 1));
  }

  async function askResolversOnly(question: Question, budget: Budget): Promise<Lookup> {
    const asked = await zones.askResolvers(question, budget);
    return "reply" in asked ? answered(asked.reply, null) : failed(null, [], asked);
  }

  async function fallBack(
    zone: Zone,
    failures: readonly Failure[],
    question: Question,
    budget: Budget,
  ): Promise<Lookup> {
    const asked = await zones.askResolvers(question, budget);
    if ("reply" in asked) return answered(asked.reply, zone.name);
    return failed(zone, failures, asked, await servesZone(zone, failures, budget));
  }

  /** Whether any of the servers that replied is an authority for the zone. */
  async function servesZone(zone: Zone, failures: readonly Failure[], budget: Budget): Promise<boolean> {
    const alive = failures.filter(({ reason }) => !isSilence(reason));
    const asked = await Promise.all(
      alive.map(({ server }) =>
        ask(
          [server],
          { name: zone.name, type: "SOA" },
          { recursionDesired: false, judge: (reply) => judgeAuthority(zone, zone.name, reply) },
          budget,
        ),
      ),
    );
    return asked.some((outcome) => "reply" in outcome);
  }

  async function findDelegation(name: string, budget: Budget): Promise<Delegation | null> {
    const found = await findInnermost(name, budget);
    return found === null || isPublicSuffix(found.zone) ? null : found;
  }

  async function findInnermost(name: string, budget: Budget): Promise<Delegation | null> {
    const start = await zones.find(name, budget);
    if (start === null || !("name" in start)) return null;
    let zone: Zone = start;
    for (let referrals = 0; referrals < MAX_REFERRALS; referrals += 1) {
      // Servers that cannot be dialled refer no further, and stay what the zone is delegated to.
      if (zone.servers.length === 0) return delegationOf(zone);
      const asked = await askZone(zone, { name, type: "SOA" }, budget);
      if (!("authoritative" in asked)) return null;
      const child = await zones.findReferred(zone, name, asked, budget);
      if (child === null) return await findWithin(zone, name, asked, budget);
      zone = child;
    }
    return null;
  }

  /** Servers of a zone often serve the one below it too, and then answer for it without a referral. */
  async function findWithin(
    zone: Zone,
    name: string,
    reply: Reply,
    budget: Budget,
  ): Promise<Delegation | null> {
    const soa = [...reply.answers, ...reply.authorities].find(
      (record) => record.type === "SOA" && isWithin(name, record.name) && isWithin(record.name, zone.name),
    );
    if (soa === undefined || soa.name === zone.name) return delegationOf(zone);
    const asked = await askZone(zone, { name: soa.name, type: "NS" }, budget);
    if (!("authoritative" in asked)) return null;
    const servers = recordsAt([...asked.answers, ...asked.authorities], soa.name, "NS");
    if (servers.length === 0) return null;
    return { zone: soa.name, nameServers: [...new Set(servers.map(({ value }) => value))].toSorted() };
  }

  return { lookUp, lookUpAtEach, findDelegation };
}

function delegationOf({ name, nameServers }: Zone): Delegation {
  return { zone: name, nameServers };
}

/** Servers of a zone often serve the one below it too. A negative answer says which zone it is of (RFC 2308). */
function zoneOf(reply: Reply, name: string, asked: string): string {
  const soa = reply.authorities.find((record) => record.type === "SOA" && isWithin(name, record.name));
  return soa !== undefined && isWithin(soa.name, asked) ? soa.name : asked;
}

function answered(reply: Reply, zone: string | null): Lookup {
  return { kind: "answered", exists: reply.rcode !== RCODE.NXDOMAIN, records: reply.answers, zone };
}

function judgeAuthority(zone: Zone, name: string, reply: Reply): FailureReason | null {
  const reason = judgeRcode(reply);
  if (reason !== null) return reason;
  return reply.authoritative || referralOf(zone, name, reply) !== null ? null : "lame";
}

function unaskable(name: string): LookupFailure {
  return {
    kind: "failed",
    code: "NOT_CHECKED",
    reason: `The name ${name} cannot exist in the DNS, where a name has at most 253 characters, and each part of it 1 to 63 without spaces. Shorten it, or correct the record that leads to it`,
    zone: null,
  };
}

/** The verdict when neither the zone's servers nor the resolvers gave a usable answer. */
function failed(
  zone: Zone | null,
  byZone: readonly Failure[],
  byResolvers: readonly Failure[],
  isServed = false,
): LookupFailure {
  const result = (code: LookupFailure["code"], reason: string): LookupFailure => ({
    kind: "failed",
    code,
    reason,
    zone: zone?.name ?? null,
  });
  const servers =
    zone === null ? "DNS servers" : `name servers of ${zone.name} (${zone.nameServers.join(", ")})`;
  const who = `The ${servers}`;
  if (zone !== null && zone.servers.length === 0) {
    return result("DELEGATION_BROKEN", `${who} have no public address`);
  }
  if (isUnsent([...byZone, ...byResolvers])) {
    return result(
      "NOT_CHECKED",
      `No query was sent to the ${servers}, because the time or the number of queries for one check was used up`,
    );
  }
  const resolversReplied = byResolvers.some(({ reason }) => !isSilence(reason));
  const zoneIsSilent = byZone.every(({ reason }) => isSilence(reason));
  if (zone !== null && !isServed && (resolversReplied || !zoneIsSilent)) {
    return result(
      "DELEGATION_BROKEN",
      `${who} do not answer for that zone: ${tell([...byZone, ...byResolvers])}`,
    );
  }
  const decisive = byZone.length > 0 && !zoneIsSilent ? byZone : byResolvers;
  const reasons = new Set(decisive.map(({ reason }) => reason));
  if (reasons.has("servfail") || reasons.has("lame")) {
    return result("SERVFAIL", `${who} failed with SERVFAIL: ${tell(decisive)}`);
  }
  if (reasons.has("refused")) return result("REFUSED", `${who} refused the question: ${tell(decisive)}`);
  if (reasons.has("malformed")) {
    return result("MALFORMED_ANSWER", `${who} answered with an invalid DNS message: ${tell(decisive)}`);
  }
  if (reasons.has("tcp-failed")) {
    return result(
      "TIMEOUT",
      `${who} have an answer that is too large for UDP, and did not send it over TCP: ${tell(decisive)}`,
    );
  }
  return result("TIMEOUT", `${who} did not answer in time`);
}

function isSilence(reason: FailureReason): boolean {
  return reason === "timeout" || reason === "unreachable" || reason === "unsent";
}

const REASON_WORDS: Readonly<Record<FailureReason, string>> = {
  timeout: "did not answer",
  unreachable: "cannot be reached",
  "tcp-failed": "did not answer over TCP",
  malformed: "sent no valid DNS message",
  servfail: "answered SERVFAIL",
  refused: "answered REFUSED",
  lame: "is not authoritative for it",
  unsent: "was not asked",
};

function tell(failures: readonly Failure[]): string {
  const lines = failures.map(({ server, reason }) => `${server.host} ${REASON_WORDS[reason]}`);
  return [...new Set(lines)].slice(0, 4).join("; ");
}
