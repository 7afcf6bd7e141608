import { LRUCache } from "lru-cache";
import { type Ask, type Asked, type Budget, type Failure, isUnsent, judgeRcode } from "./ask.ts";
import type { DnsRecord, Question, Reply } from "./wire/message.ts";
import { isWithin, parentOf, registrableDomainOf } from "./names.ts";
import type { DnsServer, Route } from "./wire/servers.ts";

/** Where one of a zone's name servers is dialled. */
export type ZoneServer = DnsServer & { readonly nameServer: string };

/** A zone, and where its authoritative servers are dialled. */
export type Zone = {
  readonly name: string;
  /** The names of all servers in the delegation, sorted. */
  readonly nameServers: readonly string[];
  /** The best first. Empty when no name server has an address that may be dialled. */
  servers: readonly ZoneServer[];
  readonly expiresAt: number;
  /** What `findUnlisted` found, once it was asked. */
  unlisted: Promise<readonly ZoneServer[]> | null;
  /** Set for a while after every server failed, so that a dead zone does not delay each check of its names. */
  failing: { readonly until: number; readonly failures: readonly Failure[] } | null;
};

export type Zones = {
  /** Asks the configured resolvers, with recursion. */
  askResolvers(question: Question, budget: Budget): Promise<Asked | readonly Failure[]>;
  /** The zone to ask first for a name. Null when the resolvers know none; failures when they did not answer. */
  find(name: string, budget: Budget): Promise<Zone | null | readonly Failure[]>;
  /**
   * The name servers that the zone above delegates a zone to and that the zone itself does not list. Each of two
   * providers often lists only its own.
   */
  findUnlisted(zone: Zone, budget: Budget): Promise<readonly ZoneServer[]>;
  /** The zone below `parent` that its server refers to for `name`; null if the reply is not a referral. */
  findReferred(parent: Zone, name: string, reply: Reply, budget: Budget): Promise<Zone | null>;
};

const MAX_ZONE_TTL_SECONDS = 60;
/** Keeps a zone with TTL 0 from being looked up again for each of its thousands of names. */
const MIN_ZONE_TTL_SECONDS = 1;
const NO_ZONE_TTL_SECONDS = 5;
const FAILED_ZONE_TTL_SECONDS = 1;
/** Enough for two providers with four each. */
const MAX_NAME_SERVERS = 8;
const MAX_CACHED_ZONES = 20_000;

export function createZones(parts: {
  readonly ask: Ask;
  readonly resolvers: readonly DnsServer[];
  readonly route: Route;
}): Zones {
  const { ask, route } = parts;
  type Entry = { readonly found: Zone | null | readonly Failure[]; readonly learnedAt: number };
  const cache = new LRUCache<string, Entry>({ max: MAX_CACHED_ZONES });
  const running = new Map<string, Promise<Entry["found"]>>();
  let turn = 0;

  function askResolvers(question: Question, budget: Budget): Promise<Asked | readonly Failure[]> {
    turn = (turn + 1) % Math.max(1, parts.resolvers.length);
    const servers = [...parts.resolvers.slice(turn), ...parts.resolvers.slice(0, turn)];
    return ask(servers, question, { recursionDesired: true, judge: judgeResolver }, budget);
  }

  function recall(key: string, { freshAfter }: Budget): Entry | null {
    const entry = cache.get(key);
    return entry === undefined || entry.learnedAt < freshAfter ? null : entry;
  }

  function remember(key: string, found: Entry["found"]): void {
    const learnedAt = performance.now();
    const ttl =
      found !== null && "name" in found
        ? Math.max(1, found.expiresAt - learnedAt)
        : (found === null ? NO_ZONE_TTL_SECONDS : FAILED_ZONE_TTL_SECONDS) * 1000;
    cache.set(key, { found, learnedAt }, { ttl });
  }

  async function find(name: string, budget: Budget): Promise<Entry["found"]> {
    const start = registrableDomainOf(name) ?? name;
    // If its parent referred to a deeper zone before, that zone is in the cache.
    for (let at = name; isWithin(at, start) && at !== ""; at = parentOf(at)) {
      const entry = recall(at, budget);
      if (entry !== null) return entry.found;
    }
    const known = running.get(start);
    // A lookup that runs already may have asked before the change that we want to see.
    if (known !== undefined && budget.freshAfter === -Infinity) {
      const found = await known;
      // If only the other check's budget was spent, this check has to ask the question itself.
      if (!isUnanswered(found)) return found;
    }
    const discovery = discover(start, budget);
    running.set(start, discovery);
    try {
      const found = await discovery;
      if (!isUnanswered(found)) remember(start, found);
      return found;
    } finally {
      if (running.get(start) === discovery) running.delete(start);
    }
  }

  async function discover(start: string, budget: Budget): Promise<Entry["found"]> {
    let failures: readonly Failure[] | null = null;
    let at = start;
    while (at !== "") {
      const asked = await askResolvers({ name: at, type: "NS" }, budget);
      if ("reply" in asked) {
        const delegation = recordsAt(asked.reply.answers, at, "NS");
        if (delegation.length > 0) return makeZone(at, delegation, asked.reply.additionals, budget);
        const below = at;
        const soa = asked.reply.authorities.find(
          (record) => record.type === "SOA" && record.name !== below && isWithin(below, record.name),
        );
        at = soa?.name ?? parentOf(at);
      } else {
        // Resolvers answer SERVFAIL for a broken delegation; the parent's own servers still say where it points.
        if (!asked.some((failure) => failure.reason === "servfail")) return asked;
        failures = asked;
        at = parentOf(at);
      }
    }
    return failures;
  }

  async function findReferred(
    parent: Zone,
    name: string,
    reply: Reply,
    budget: Budget,
  ): Promise<Zone | null> {
    const child = referralOf(parent, name, reply);
    if (child === null) return null;
    const known = recall(child, budget)?.found ?? null;
    // The child's entry may hold a zone above it, from which its discovery began.
    if (known !== null && "name" in known && known.name === child) return known;
    // A parent may only give addresses of hosts below itself.
    const glue = reply.additionals.filter((record) => isWithin(record.name, parent.name));
    const zone = await makeZone(child, recordsAt(reply.authorities, child, "NS"), glue, budget);
    remember(child, zone);
    return zone;
  }

  function findUnlisted(zone: Zone, budget: Budget): Promise<readonly ZoneServer[]> {
    zone.unlisted ??= askParent(zone, budget);
    return zone.unlisted;
  }

  async function askParent({ name, nameServers }: Zone, budget: Budget): Promise<readonly ZoneServer[]> {
    // The servers of a registry need not be looked up anew for each zone.
    const parent = await find(parentOf(name), { ...budget, freshAfter: -Infinity });
    if (parent === null || !("name" in parent) || parent.name === name) return [];
    const options = { recursionDesired: false, judge: judgeRcode };
    const asked = await ask(parent.servers, { name, type: "NS" }, options, budget);
    if (!("reply" in asked) || referralOf(parent, name, asked.reply) !== name) return [];
    const unlisted = recordsAt(asked.reply.authorities, name, "NS").filter(
      ({ value }) => !nameServers.includes(value),
    );
    if (unlisted.length === 0) return [];
    const glue = asked.reply.additionals.filter((record) => isWithin(record.name, parent.name));
    return (await makeZone(name, unlisted, glue, budget)).servers;
  }

  async function makeZone(
    name: string,
    delegation: readonly DnsRecord[],
    glue: readonly DnsRecord[],
    budget: Budget,
  ): Promise<Zone> {
    const nameServers = [...new Set(delegation.map((record) => record.value))].toSorted();
    const dialled = alternating(shuffled(nameServers)).slice(0, MAX_NAME_SERVERS);
    const found = await Promise.all(dialled.map((host) => findAddresses(host, glue, budget)));
    const places = new Map<string, string>();
    for (const [index, addresses] of found.entries()) {
      for (const address of addresses) if (!places.has(address)) places.set(address, dialled[index] ?? "");
    }
    // IPv4 first: many hosts have no IPv6 route, and some lose its packets silently.
    const sorted = [...places].toSorted(([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")));
    const ttlSeconds = Math.min(MAX_ZONE_TTL_SECONDS, ...delegation.map((record) => record.ttlSeconds));
    return {
      name,
      nameServers,
      servers: sorted.flatMap(([address, nameServer]) =>
        route(address).map((place) => ({ ...place, nameServer })),
      ),
      expiresAt: performance.now() + Math.max(MIN_ZONE_TTL_SECONDS, ttlSeconds) * 1000,
      failing: null,
      unlisted: null,
    };
  }

  async function findAddresses(host: string, glue: readonly DnsRecord[], budget: Budget): Promise<string[]> {
    const known = [...recordsAt(glue, host, "A"), ...recordsAt(glue, host, "AAAA")];
    if (known.length > 0) return known.map((record) => record.value);
    const types = ["A", "AAAA"] as const;
    const asked = await Promise.all(types.map((type) => askResolvers({ name: host, type }, budget)));
    return asked.flatMap((answer, index) =>
      "reply" in answer
        ? answer.reply.answers.filter((record) => record.type === types[index]).map((record) => record.value)
        : [],
    );
  }

  return { askResolvers, find, findUnlisted, findReferred };
}

function isUnanswered(found: Zone | null | readonly Failure[]): boolean {
  return found !== null && !("name" in found) && isUnsent(found);
}

/** The child zone that a reply of `parent`'s server refers to for `name`; null if it is not a downward referral. */
export function referralOf(parent: Zone, name: string, reply: Reply): string | null {
  if (reply.authoritative || reply.answers.length > 0) return null;
  const delegation = reply.authorities.find(
    (record) =>
      record.type === "NS" &&
      record.name !== parent.name &&
      isWithin(record.name, parent.name) &&
      isWithin(name, record.name),
  );
  return delegation?.name ?? null;
}

export function recordsAt(
  records: readonly DnsRecord[],
  name: string,
  type: DnsRecord["type"],
): readonly DnsRecord[] {
  return records.filter((record) => record.type === type && record.name === name);
}

/** An empty reply from a server that neither recurses nor has authority does not prove that nothing exists. */
export function judgeResolver(reply: Reply): Failure["reason"] | null {
  const reason = judgeRcode(reply);
  if (reason !== null) return reason;
  return reply.recursionAvailable || reply.authoritative || reply.answers.length > 0 ? null : "lame";
}

/** The servers of different providers in turn, so that the first few are not all of one. */
function alternating(hosts: readonly string[]): string[] {
  const byProvider = [...Map.groupBy(hosts, registrableDomainOf).values()];
  const rounds = Math.max(0, ...byProvider.map((own) => own.length));
  return Array.from({ length: rounds }, (_, round) => byProvider.flatMap((own) => own[round] ?? [])).flat();
}

/** Spreads the load over the servers of a zone. */
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
