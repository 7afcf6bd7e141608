/**
 * The answer to a DNS question, from records only (RFC 1034, section 4.3.2, as an authoritative server). The sandbox
 * is authoritative for the whole tree. Every registrable domain is a zone, even without records, and so is every name
 * with its own NS records. Any other name exists only if a record makes it exist.
 */
import { isIPv6 } from "node:net";
import type { Answer } from "dns-packet";
import {
  CDN_ZONE,
  GIT_HOST,
  NAME_SERVER,
  normalizeName,
  parentOf,
  registrableDomainOf,
  ZONE_SERVERS,
} from "./names.ts";
import { parseCaa, type DnsRecordType, type RecordSet } from "./records.ts";

/** The sources of records: records that people set, and the sandbox's own. */
export type NameSource = {
  at(name: string): readonly RecordSet[];
  exists(name: string): boolean;
};

export type Lookup = {
  readonly rcode: "NOERROR" | "NXDOMAIN";
  readonly answers: readonly Answer[];
  /** The zone's SOA for a negative answer (RFC 2308); it says how long to cache the answer. */
  readonly authorities: readonly Answer[];
};

/** No sensible chain is longer. */
const MAX_CNAME_HOPS = 12;
const NEGATIVE_TTL_SECONDS = 5;
const ROOT_ZONE = ".";

/** @param type as in the question; `ANY` gives everything at the name */
export function lookUp(source: NameSource, name: string, type: string): Lookup {
  const answers: Answer[] = [];
  // The first owner keeps the case of the question, because some resolvers check it (DNS 0x20).
  let owner = name.replace(/\.$/, "");
  const visited = new Set<string>();
  for (let hop = 0; hop < MAX_CNAME_HOPS; hop += 1) {
    const current = normalizeName(owner);
    // The client sees the loop in the chain, which returns to a former name.
    if (visited.has(current)) break;
    visited.add(current);
    const sets = setsAt(source, current);
    const cname = sets.find((set) => set.type === "CNAME");
    if (cname !== undefined && type !== "CNAME" && type !== "ANY") {
      answers.push(...toAnswers(cname, owner));
      owner = cname.values[0] ?? "";
      continue;
    }
    const found = answersAt(source, current, owner, type, sets);
    if (found.length > 0) return { rcode: "NOERROR", answers: [...answers, ...found], authorities: [] };
    const exists = sets.length > 0 || doesNameExist(source, current);
    return {
      // RFC 6604: with a chain of CNAMEs, the code is that of its end.
      rcode: exists ? "NOERROR" : "NXDOMAIN",
      answers,
      authorities: [soaOf(zoneOf(source, current))],
    };
  }
  return { rcode: "NOERROR", answers, authorities: [] };
}

/** The sets at a name, including those of a wildcard (RFC 4592: the closest existing ancestor's). */
function setsAt(source: NameSource, name: string): readonly RecordSet[] {
  const own = source.at(name);
  if (own.length > 0 || doesNameExist(source, name)) return own;
  for (let ancestor = parentOf(name); ancestor !== null; ancestor = parentOf(ancestor)) {
    const wild = source.at(`*.${ancestor}`);
    if (wild.length > 0) return wild;
    if (doesNameExist(source, ancestor)) return [];
  }
  return [];
}

function answersAt(
  source: NameSource,
  name: string,
  owner: string,
  type: string,
  sets: readonly RecordSet[],
): Answer[] {
  const found = sets
    .filter((set) => set.type !== "ALIAS" && (set.type === type || type === "ANY"))
    .flatMap((set) => toAnswers(set, owner));
  const alias = sets.find((set) => set.type === "ALIAS");
  if (alias !== undefined && (type === "A" || type === "AAAA")) {
    // An ALIAS is answered with the current addresses of its target.
    const target = lookUp(source, alias.values[0] ?? "", type).answers;
    for (const answer of target) {
      if (answer.type === type && "data" in answer && typeof answer.data === "string") {
        found.push({ type, name: owner, ttl: alias.ttl, data: answer.data });
      }
    }
  }
  if (zoneOf(source, name) === name) {
    if (type === "SOA" || type === "ANY") found.push({ ...soaOf(name), name: owner });
    const hasOwnServers = sets.some((set) => set.type === "NS");
    if ((type === "NS" || type === "ANY") && !hasOwnServers) {
      found.push({ type: "NS", name: owner, ttl: 60, data: NAME_SERVER });
    }
  }
  return found;
}

function doesNameExist(source: NameSource, name: string): boolean {
  return source.exists(name) || registrableDomainOf(name) === name;
}

/** The zone that contains a name. */
function zoneOf(source: NameSource, name: string): string {
  const registrable = registrableDomainOf(name);
  for (let at: string | null = name; at !== null && at !== registrable; at = parentOf(at)) {
    if (source.at(at).some((set) => set.type === "NS")) return at;
  }
  return registrable ?? ROOT_ZONE;
}

function soaOf(zone: string): Answer {
  return {
    type: "SOA",
    name: zone,
    ttl: NEGATIVE_TTL_SECONDS,
    data: {
      mname: NAME_SERVER,
      rname: "hostmaster.sandbox.test",
      serial: 1,
      refresh: 3_600,
      retry: 600,
      expire: 86_400,
      minimum: NEGATIVE_TTL_SECONDS,
    },
  };
}

function toAnswers(set: RecordSet, owner: string): Answer[] {
  return set.values.flatMap((value): Answer[] => toAnswer(set.type, owner, set.ttl, value));
}

function toAnswer(type: DnsRecordType, name: string, ttl: number, value: string): Answer[] {
  switch (type) {
    case "A":
    case "AAAA":
    case "CNAME":
    case "NS":
      return [{ type, name, ttl, data: value }];
    case "TXT":
      return [{ type, name, ttl, data: splitText(value) }];
    case "CAA": {
      const caa = parseCaa(value);
      if (caa === null) return [];
      // The package's type only has the three tags of RFC 8659; others are valid and encoded the same way.
      const tag = caa.tag as "issue";
      return [{ type, name, ttl, data: { flags: caa.flags, tag, value: caa.value } }];
    }
    case "ALIAS":
      return [];
  }
}

/** A TXT record holds strings of at most 255 bytes each (RFC 1035, section 3.3.14). */
function splitText(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) parts.push(bytes.subarray(at, at + 255));
  return parts.length === 0 ? [Buffer.alloc(0)] : parts;
}

/** The sandbox's own DNS names: its name server, its git host, those of accounts' zones, and a name for each distribution, all at one address. */
export function createOwnNames(address: string, hasDistribution: (name: string) => boolean): NameSource {
  const type = isIPv6(address) ? "AAAA" : "A";
  const above = new Set<string>();
  for (const name of [NAME_SERVER, GIT_HOST, CDN_ZONE, ZONE_SERVERS]) {
    for (let at = parentOf(name); at !== null; at = parentOf(at)) above.add(at);
  }
  above.add(CDN_ZONE);
  above.add(ZONE_SERVERS);
  const isOwn = (name: string) =>
    name === NAME_SERVER || name === GIT_HOST || parentOf(name) === ZONE_SERVERS || hasDistribution(name);
  return {
    at: (name): readonly RecordSet[] => (isOwn(name) ? [{ name, type, values: [address], ttl: 60 }] : []),
    exists: (name) => isOwn(name) || above.has(name),
  };
}

/** Combines several sources into one. */
export function joinNames(...sources: readonly NameSource[]): NameSource {
  return {
    at: (name) => sources.flatMap((source) => source.at(name)),
    exists: (name) => sources.some((source) => source.exists(name)),
  };
}
