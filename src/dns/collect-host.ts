import type { Budget } from "./ask.ts";
import type { Authority, Lookup, LookupFailure, View } from "./authority.ts";
import {
  coversAddresses,
  diagnoseHost,
  type Disagreement,
  type ExpectedHostRecord,
  pointsTo,
  type SeenHost,
} from "./diagnose.ts";
import type { Edge } from "./edge.ts";
import { isAskable, isPublicSuffix, normalizeName, registrableDomainOf } from "./names.ts";
import { findEndedWildcard, findWildcard, valuesOf } from "./wildcard.ts";
import { recordsAt, type Zones } from "./zones.ts";

/** Common resolvers give up on longer chains of CNAMEs, too. */
const MAX_CNAME_HOPS = 8;

export type CollectParts = {
  readonly authority: Authority;
  readonly zones: Zones;
  readonly edge: Edge;
  readonly isProxyAddress: (address: string) => boolean;
};

const NOTHING = {
  failure: null,
  cnames: [],
  chain: [],
  chainEnd: "open",
  ipv4: [],
  ipv6: [],
  texts: [],
  mailHosts: [],
  caa: [],
  isProxied: false,
  target: null,
  doubledAt: null,
  isRegistered: true,
  disagreement: null,
  wildcard: null,
} as const satisfies Omit<SeenHost, "zone">;

/**
 * Collects what DNS shows of a record, and only what the diagnosis needs. A quick look does not search for a missing
 * record at other names.
 */
export async function collectHost(
  parts: CollectParts,
  record: ExpectedHostRecord,
  { budget, isQuick }: { readonly budget: Budget; readonly isQuick: boolean },
): Promise<SeenHost> {
  const name = normalizeName(record.name);
  const main = await parts.authority.lookUp({ name, type: "CNAME" }, budget);
  const zone = main.zone ?? registrableDomainOf(name);
  if (main.kind === "failed") return { ...NOTHING, zone, failure: main };
  const isOfRegistry = main.zone === null || isPublicSuffix(main.zone);
  if (isOfRegistry && !main.exists) return { ...NOTHING, zone: main.zone, isRegistered: false };
  const own = { ...NOTHING, zone, ...(await collectOwn(parts, record, name, main, budget)) };
  const isMissing = !isAnythingAt(own);
  if (own.failure !== null) return own;
  if (!isQuick || !isMissing) {
    const disagreement = await findDisagreement(parts, record, own, budget);
    if (disagreement !== null) return { ...own, disagreement };
  }
  if (zone === null || (!isMissing && diagnoseHost(record, own).error === null)) return own;
  const wildcard = isMissing
    ? await (main.exists && !isQuick ? findEndedWildcard(parts.authority, { name, zone }, budget) : null)
    : await findWildcard(parts.authority, { name, zone, seen: firstOf(own) }, budget);
  if (!isMissing && wildcard?.isAnswering !== true) return { ...own, wildcard };
  if (main.zone !== null && isOfRegistry && !isMissing) return { ...own, isRegistered: false };
  const doubledAt = isQuick ? null : await findDoubled(parts, record, name, zone, budget);
  return { ...own, wildcard, doubledAt };
}

async function collectOwn(
  parts: CollectParts,
  record: ExpectedHostRecord,
  name: string,
  main: Extract<Lookup, { kind: "answered" }>,
  budget: Budget,
): Promise<Partial<SeenHost>> {
  const cnames = [...new Set(recordsAt(main.records, name, "CNAME").map(({ value }) => value))];
  const [first] = cnames;
  if (first === undefined) return main.exists ? await collectBeside(parts, record, name, budget) : {};
  return { cnames, ...(await followChain(parts, name, first, record.value, budget)) };
}

function isAnythingAt({ cnames, ipv4, ipv6, texts, mailHosts, caa }: SeenHost): boolean {
  return [cnames, ipv4, ipv6, texts, mailHosts, caa].some((values) => values.length > 0);
}

function firstOf({ cnames, ipv4, ipv6, texts, mailHosts, caa }: SeenHost) {
  if (cnames.length > 0) return { type: "CNAME", values: cnames } as const;
  if (ipv4.length > 0) return { type: "A", values: ipv4 } as const;
  if (ipv6.length > 0) return { type: "AAAA", values: ipv6 } as const;
  if (texts.length > 0) return { type: "TXT", values: texts } as const;
  return mailHosts.length > 0
    ? ({ type: "MX", values: mailHosts } as const)
    : ({ type: "CAA", values: caa } as const);
}

/**
 * Whether some of the zone's name servers have the record and others do not, as when a zone is delegated to two providers
 * and only one of them was changed. Resolvers ask any of them.
 */
async function findDisagreement(
  parts: CollectParts,
  record: ExpectedHostRecord,
  own: SeenHost,
  budget: Budget,
): Promise<Disagreement | null> {
  const name = normalizeName(record.name);
  const views = await parts.authority.lookUpAtEach({ name, type: "CNAME" }, budget);
  if (views.length === 0) return null;
  const isRight = diagnoseHost(record, own).error === null;
  const leadsThere = ({ records }: View): boolean =>
    recordsAt(records, name, "CNAME").some(
      ({ value }) => pointsTo(value, record.value) || (isRight && own.cnames.includes(value)),
    );
  if (own.cnames.length > 0 || views.some(leadsThere)) return partition(views, leadsThere);
  const type = own.ipv4.length === 0 && own.ipv6.length > 0 ? "AAAA" : "A";
  const byAddress = await parts.authority.lookUpAtEach({ name, type }, budget);
  const addresses = [...new Set(byAddress.flatMap(({ records }) => valuesOf(records, type)))];
  const target = addresses.length === 0 ? [] : await resolveTarget(parts, record.value, addresses, budget);
  if (!("length" in target)) return null;
  return partition(byAddress, ({ records }) => coversAddresses(valuesOf(records, type), target));
}

/** Null if all are of one kind. */
function partition(views: readonly View[], hasRecord: (view: View) => boolean): Disagreement | null {
  const [having, lacking] = [views.filter(hasRecord), views.filter((view) => !hasRecord(view))].map((part) =>
    part.map(({ nameServer }) => nameServer),
  );
  if (having === undefined || lacking === undefined) return null;
  return having.length > 0 && lacking.length > 0 ? { having, lacking } : null;
}

async function followChain(
  parts: CollectParts,
  name: string,
  first: string,
  wanted: string,
  budget: Budget,
): Promise<Pick<SeenHost, "chain" | "chainEnd">> {
  const chain = [first];
  for (let at = first; ;) {
    if (pointsTo(at, wanted)) return { chain, chainEnd: "open" };
    if (at === name || chain.indexOf(at) < chain.length - 1) return { chain, chainEnd: "loop" };
    const looked = isAskable(at) ? await parts.authority.lookUp({ name: at, type: "CNAME" }, budget) : null;
    // A target that cannot be looked up ends the chain, because no resolver could follow it either.
    const next = looked?.kind === "answered" ? recordsAt(looked.records, at, "CNAME")[0] : undefined;
    if (next === undefined) return { chain, chainEnd: "open" };
    if (chain.length >= MAX_CNAME_HOPS) return { chain, chainEnd: "too-long" };
    at = next.value;
    chain.push(at);
  }
}

type Beside = Pick<
  SeenHost,
  "failure" | "ipv4" | "ipv6" | "texts" | "mailHosts" | "caa" | "isProxied" | "target"
>;

/** The records at a name without a CNAME. If an apex has addresses, a TXT beside them is normal and not asked for. */
async function collectBeside(
  parts: CollectParts,
  record: ExpectedHostRecord,
  name: string,
  budget: Budget,
): Promise<Beside> {
  const types =
    record.type === "CNAME" ? (["A", "AAAA", "TXT", "MX", "CAA"] as const) : (["A", "AAAA"] as const);
  const looked = await Promise.all(types.map((type) => parts.authority.lookUp({ name, type }, budget)));
  const [ipv4 = [], ipv6 = [], texts = [], mailHosts = [], caa = []] = looked.map((lookup, index) =>
    lookup.kind === "answered"
      ? lookup.records.filter(({ type }) => type === types[index]).map(({ value }) => value)
      : [],
  );
  const addresses = [...ipv4, ...ipv6];
  if (addresses.length === 0) {
    // For an ALIAS the addresses are the record itself; for a CNAME we know already that it is absent.
    const failure = record.type === "ALIAS" ? looked.find((lookup) => lookup.kind === "failed") : undefined;
    return { failure: failure ?? null, ipv4, ipv6, texts, mailHosts, caa, isProxied: false, target: null };
  }
  return {
    failure: null,
    ipv4,
    ipv6,
    texts,
    mailHosts,
    caa,
    isProxied: addresses.every(parts.isProxyAddress),
    target: await resolveTarget(parts, record.value, addresses, budget),
  };
}

/**
 * The addresses of the target. The resolvers are asked first. If their answer does not explain what was found, the
 * target's own servers are asked too, and then the addresses that were found, because a distribution's addresses differ
 * from place to place.
 */
async function resolveTarget(
  parts: CollectParts,
  value: string,
  seen: readonly string[],
  budget: Budget,
): Promise<readonly string[] | LookupFailure> {
  const name = normalizeName(value);
  const types = ["A", "AAAA"] as const;
  const asked = await Promise.all(types.map((type) => parts.zones.askResolvers({ name, type }, budget)));
  const addresses = asked.flatMap((answer, index) =>
    "reply" in answer
      ? answer.reply.answers.filter(({ type }) => type === types[index]).map((found) => found.value)
      : [],
  );
  if (coversAddresses(seen, addresses)) return addresses;
  const looked = await Promise.all(types.map((type) => parts.authority.lookUp({ name, type }, budget)));
  for (const [index, lookup] of looked.entries()) {
    if (lookup.kind === "failed") continue;
    for (const found of lookup.records) if (found.type === types[index]) addresses.push(found.value);
  }
  const failure = looked.find((lookup) => lookup.kind === "failed");
  if (addresses.length === 0) return failure ?? [];
  const others = seen.filter((address) => !addresses.includes(address));
  const leading = await parts.edge.findLeading(others, { name, addresses }, budget);
  return [...new Set([...addresses, ...leading])];
}

/**
 * Many panels append the zone to the name that a user types. A wildcard may also answer for the doubled name, so only
 * the expected value counts.
 */
async function findDoubled(
  parts: CollectParts,
  record: ExpectedHostRecord,
  name: string,
  zone: string,
  budget: Budget,
): Promise<string | null> {
  const doubled = `${name}.${zone}`;
  if (!isAskable(doubled)) return null;
  const looked = await parts.authority.lookUp({ name: doubled, type: "CNAME" }, budget);
  if (looked.kind === "failed") return null;
  const isOurs = recordsAt(looked.records, doubled, "CNAME").some(
    ({ value }) => pointsTo(value, record.value) || pointsTo(value, `${normalizeName(record.value)}.${zone}`),
  );
  if (isOurs) return doubled;
  if (record.type === "CNAME" || !looked.exists) return null;
  const { ipv4, ipv6, target } = await collectBeside(parts, record, doubled, budget);
  const isCovered = target !== null && "length" in target && coversAddresses([...ipv4, ...ipv6], target);
  return isCovered ? doubled : null;
}
