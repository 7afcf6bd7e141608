import { isIPv6 } from "node:net";
import { CDN_ZONE, GIT_HOST, NAME_SERVER, parentOf, ZONE_SERVERS } from "./names.ts";
import type { NameSource } from "./look-up.ts";
import type { RecordSet } from "./records.ts";

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
