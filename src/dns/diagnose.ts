import type { LookupFailure } from "./authority.ts";
import { type CaaDisagreement, type CaaSet, explainRefusal, refusesIssuers } from "./caa.ts";
import type { EndedWildcard, ExpectedRecord, PropagationErrorCode, RecordCheck } from "./dns.ts";
import { isWithin, normalizeName, parentOf, registrableDomainOf } from "./names.ts";
import type { Wildcard } from "./wildcard.ts";
import { printable, quote, textOf } from "./quote-values.ts";

export type ExpectedHostRecord = Extract<ExpectedRecord, { type: "CNAME" | "ALIAS" }>;
export type ExpectedCaaRecord = Extract<ExpectedRecord, { type: "CAA" }>;

/** What DNS shows at a name that should point to a target. */
export type SeenHost = {
  readonly zone: string | null;
  readonly failure: LookupFailure | null;
  /** The targets of the CNAME records at the name itself. There is one, unless the zone is broken. */
  readonly cnames: readonly string[];
  /** The target of each CNAME in turn, starting at the name. */
  readonly chain: readonly string[];
  readonly chainEnd: "open" | "loop" | "too-long";
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
  readonly texts: readonly string[];
  /** The hosts of MX records. */
  readonly mailHosts: readonly string[];
  /** CAA records, in the notation of zone files. */
  readonly caa: readonly string[];
  /** Whether all addresses belong to Cloudflare's proxy. */
  readonly isProxied: boolean;
  /** The addresses of the expected target; null when they were not needed. */
  readonly target: readonly string[] | LookupFailure | null;
  /** The name with the zone appended once more, if the expected record was found there. */
  readonly doubledAt: string | null;
  /** False if the name's registrable domain does not exist, so that only its registry answered. */
  readonly isRegistered: boolean;
  /** Null if all name servers of the zone answer alike, or if they were not compared. */
  readonly disagreement: Disagreement | null;
  /** Null if no wildcard gives what was found, or would if no record existed below; or if what was found is right. */
  readonly wildcard: Wildcard | null;
};

/** The name servers that have a record, and the name servers that lack it. */
export type Disagreement = { readonly having: readonly string[]; readonly lacking: readonly string[] };

/** Judges what was found for a CNAME or ALIAS. */
export function diagnoseHost(record: ExpectedHostRecord, seen: SeenHost): RecordCheck {
  if (seen.failure !== null) return failedCheck(seen.failure);
  if (!seen.isRegistered) return diagnoseUnregistered(record, seen);
  if (seen.disagreement !== null) return diagnoseDisagreement(record, seen, seen.disagreement);
  if (seen.doubledAt !== null) return diagnoseDoubled(record, seen, seen.doubledAt);
  if (seen.wildcard?.isAnswering === true) return diagnoseWildcard(record, seen, seen.wildcard);
  if (seen.cnames.length > 0) return diagnoseCname(record, seen);
  if (seen.ipv4.length + seen.ipv6.length > 0) return diagnoseAddresses(record, seen);
  const { name, value } = normalized(record);
  const others = [...seen.texts, ...seen.mailHosts];
  if (others.length > 0) {
    return refuse(
      "CONFLICTING_RECORDS",
      others,
      `Found ${seen.texts.length === 0 ? "an" : "a"} ${typesOf(seen)} record at ${name} (${quote(others)}), and a CNAME cannot exist beside it. Remove it and set a CNAME from ${name} to ${value}${seen.mailHosts.length > 0 ? "; without its MX record the name receives no mail" : ""}.${otherName(name)}${moveCaa(name, seen)}${besideWildcard(seen)}`,
    );
  }
  if (seen.caa.length > 0) {
    const place = parentOf(name);
    return refuse(
      "CONFLICTING_RECORDS",
      seen.caa,
      `Found CAA records at ${name} (${quote(seen.caa)}), and a CNAME cannot exist beside them. Move them to ${place}, where they still apply to ${name}, then set a CNAME from ${name} to ${value}.${besideWildcard(seen)}`,
    );
  }
  if (seen.wildcard !== null) {
    return refuse(
      "WILDCARD_ENDED",
      [],
      `Found no record at ${name}, and the wildcard ${seen.wildcard.at} no longer answers for this name, because another record exists at or below it. Set ${describe(record)} to ${value} now${panelHint(name, seen.zone)}.`,
    );
  }
  return refuse(
    "NOT_FOUND",
    [],
    `Found no record at ${name}. Set ${describe(record)} to ${value}${panelHint(name, seen.zone)}.`,
  );
}

function diagnoseUnregistered(record: ExpectedHostRecord, { zone }: SeenHost): RecordCheck {
  const name = normalizeName(record.name);
  const domain = registrableDomainOf(name) ?? name;
  const who = zone === null || zone === "" ? "the DNS" : `the registry of ${zone}`;
  return refuse(
    "NOT_REGISTERED",
    [],
    `${domain} is not in ${who}: it is not registered, has expired, is on hold, or is mistyped. Check the spelling, and its registration at the registrar.`,
  );
}

function diagnoseDisagreement(
  record: ExpectedHostRecord,
  seen: SeenHost,
  { having, lacking }: Disagreement,
): RecordCheck {
  const { value } = normalized(record);
  return refuse(
    "SERVERS_DISAGREE",
    foundAt(seen),
    `The name servers of ${seen.zone ?? "the zone"} disagree: ${quote(having)} ${having.length === 1 ? "has" : "have"} ${describe(record)} to ${value}, and ${quote(lacking)} ${lacking.length === 1 ? "does" : "do"} not. Set the record there too, or remove the name servers that are not in use from the delegation at the registrar.`,
  );
}

function diagnoseDoubled(record: ExpectedHostRecord, { zone }: SeenHost, doubledAt: string): RecordCheck {
  const { name } = normalized(record);
  return refuse(
    "ZONE_NAME_DOUBLED",
    [],
    `Found the record at ${doubledAt}: the DNS panel appended the zone ${zone ?? ""}. Enter only ${relativeName(name, zone)} as its name, or end the name with a dot.`,
  );
}

/** The wildcard may serve many other names, so it must never be removed for this one. */
function diagnoseWildcard(record: ExpectedHostRecord, seen: SeenHost, { at, ended }: Wildcard): RecordCheck {
  const { name, value } = normalized(record);
  const answer = answerOf(seen);
  const before =
    ended.length === 0
      ? "Leave it"
      : `It also answers for ${ended.join(" and ")}, but no longer once a record exists below: so if ${ended.length === 1 ? "that name is" : "those names are"} in use, first set ${ended.join(" and ")} to what the wildcard answers now. Leave the wildcard`;
  // With a value, so that clients show the message and not only that nothing is set.
  return refuse(
    "NOT_FOUND",
    foundAt(seen),
    `Found no record at ${name} itself: the wildcard ${at} answers there (${answer}). ${before} as it is, and set ${describe(record)} to ${value}${panelHint(name, seen.zone)}; it takes precedence over the wildcard.`,
  );
}

/** Null if no name would lose its answer by a record at the name that was looked at. */
export function endedBy({ wildcard, ...seen }: SeenHost): EndedWildcard | null {
  if (wildcard === null || wildcard.ended.length === 0) return null;
  return { at: wildcard.at, names: wildcard.ended, answer: answerOf(seen) };
}

/** The found records, written as a DNS panel shows them. */
function answerOf(seen: Omit<SeenHost, "wildcard">): string {
  const sets = [
    ["CNAME", seen.cnames],
    ["A", seen.ipv4],
    ["AAAA", seen.ipv6],
    ["TXT", seen.texts],
    ["MX", seen.mailHosts],
    ["CAA", seen.caa],
  ] as const;
  return quote(sets.flatMap(([type, values]) => values.map((value) => `${type} ${value}`)));
}

function foundAt(seen: SeenHost): readonly string[] {
  return [...seen.cnames, ...seen.ipv4, ...seen.ipv6, ...seen.texts, ...seen.mailHosts, ...seen.caa];
}

/** The name of a verification record is the provider's choice. */
function otherName(name: string): string {
  return name.startsWith("_") ? "" : " If what is there is still needed, use another name for the service.";
}

function moveCaa(name: string, { caa }: SeenHost): string {
  if (caa.length === 0) return "";
  return ` Move the CAA records there (${quote(caa)}) to ${parentOf(name)}, where they still apply to ${name}: a CNAME cannot exist beside them either.`;
}

function besideWildcard({ wildcard }: SeenHost): string {
  return wildcard === null ? "" : ` Leave the wildcard ${wildcard.at}, which answers the same.`;
}

function diagnoseCname(record: ExpectedHostRecord, seen: SeenHost): RecordCheck {
  const { name, value } = normalized(record);
  if (seen.cnames.length > 1) {
    return refuse(
      "CONFLICTING_RECORDS",
      seen.cnames,
      `Found ${seen.cnames.length} CNAME records at ${name} (${quote(seen.cnames)}), but only one is allowed. Keep the one to ${value}.`,
    );
  }
  // Validation and traffic both follow a chain of CNAMEs, so any of its targets may be the wanted one.
  if (seen.chain.some((hop) => pointsTo(hop, value))) return { value: textOf(seen.cnames), error: null };
  const path = quote([name, ...seen.chain], " → ");
  if (seen.chainEnd === "loop") {
    return refuse(
      "CNAME_LOOP",
      seen.cnames,
      `The CNAME records form a loop: ${path}. Set ${describe(record)} to ${value}.`,
    );
  }
  if (seen.chainEnd === "too-long") {
    return refuse(
      "CNAME_LOOP",
      seen.cnames,
      `The chain of CNAME records is longer than 8: ${path}. Set ${describe(record)} to ${value} directly.`,
    );
  }
  const appended = seen.zone !== null && seen.chain.some((hop) => pointsTo(hop, `${value}.${seen.zone}`));
  return refuse(
    "WRONG_VALUE",
    seen.cnames,
    appended
      ? `Found ${quote(seen.cnames)}: the DNS panel appended the zone to the value. Set ${describe(record)} to ${value}. with a trailing dot.`
      : `Found ${seen.chain.length > 1 ? path : quote(seen.cnames)}; set ${describe(record)} to ${value}.`,
  );
}

function diagnoseAddresses(record: ExpectedHostRecord, seen: SeenHost): RecordCheck {
  const { name, value } = normalized(record);
  const addresses = [...seen.ipv4, ...seen.ipv6];
  const target = seen.target !== null && "length" in seen.target ? seen.target : [];
  // Providers that flatten CNAMEs, or offer ALIAS records, show the target's own addresses.
  if (coversAddresses(addresses, target)) return { value: textOf(addresses), error: null };
  if (seen.isProxied) {
    return refuse(
      "PROXIED",
      addresses,
      `Found addresses of the Cloudflare proxy at ${name} (${quote(addresses)}). Switch the record to "DNS only", so that it points to ${value}.`,
    );
  }
  if (record.type === "CNAME") {
    return refuse(
      "CONFLICTING_RECORDS",
      addresses,
      `Found ${quote(addresses)} at ${name}, where a CNAME should be. Remove the ${typesOf(seen)} records there and set a CNAME from ${name} to ${value}: its visitors then reach that instead.${otherName(name)}${moveCaa(name, seen)}${besideWildcard(seen)}`,
    );
  }
  if (seen.target !== null && "kind" in seen.target) {
    return refuse(
      seen.target.code,
      addresses,
      `Found ${quote(addresses)} at ${name}, but the addresses of ${value} could not be looked up to compare. ${seen.target.reason}.`,
    );
  }
  const stray = addresses.filter((address) => !target.includes(address));
  if (stray.length < addresses.length) {
    return refuse(
      "CONFLICTING_RECORDS",
      addresses,
      `Found ${quote(stray)} at ${name} besides the addresses of ${value}; some visitors are sent there. Remove ${stray.length === 1 ? "that record" : "those records"}.`,
    );
  }
  return refuse(
    "WRONG_VALUE",
    addresses,
    `Found ${quote(addresses)} at ${name}, and ${target.length === 0 ? `${value} has no address` : `none of these belongs to ${value}`}. Set ${describe(record)} to ${value}; where your DNS provider has no ALIAS, ANAME or flattened CNAME, use a name such as www instead.`,
  );
}

/** Judges the CAA set that governs a name. Null when there is none: then every authority may issue. */
export function diagnoseCaa(
  record: ExpectedCaaRecord,
  set: CaaSet | LookupFailure | null,
  disagreement: CaaDisagreement | null = null,
): RecordCheck {
  if (disagreement !== null) {
    const { zone, found, allowing, refusing } = disagreement;
    return refuse(
      "SERVERS_DISAGREE",
      found,
      `The name servers of ${zone} disagree: the CAA records at ${disagreement.at} (${quote(found)}) let ${record.issuers.join(" or ")} issue certificates by ${quote(allowing)}, and not by ${quote(refusing)}. Set the same CAA records at each, or remove the name servers that are not in use from the delegation at the registrar.`,
    );
  }
  if (set === null) return { value: null, error: null };
  if (set.kind === "failed") return failedCheck(set);
  const name = normalizeName(record.name);
  if (!refusesIssuers(set.records, name, record.issuers)) return { value: textOf(set.found), error: null };
  const { message, action } = explainRefusal(set, name, record);
  return refuse("CAA_REFUSES", set.found, `${message} ${action}`);
}

/** Comes first: a name that validating resolvers refuse does not work, even if its record is right. */
export function diagnoseDnssec(zone: string, { value }: RecordCheck): RecordCheck {
  return refuse(
    "DNSSEC_BROKEN",
    value === null ? [] : [value],
    `The DNSSEC signature of ${zone} is broken, so certificate authorities and many visitors get no answer from it. At the registrar, remove the DS records of ${zone}, or replace them with those of the present DNS provider. At the provider, check that the zone is still signed.`,
  );
}

/** The outcome when no slot became free in time; it says nothing about the domain. */
export function busyCheck(): RecordCheck {
  return refuse(
    "NOT_CHECKED",
    [],
    "Too many checks were waiting, so this one did not start. Slipway repeats it automatically.",
  );
}

/**
 * Whether a CNAME's target is the wanted one. ACM also accepts a value without its leading underscore, because some DNS
 * panels refuse it.
 */
export function pointsTo(found: string, wanted: string): boolean {
  const target = normalizeName(wanted);
  const seen = normalizeName(found);
  return seen === target || (target.startsWith("_") && seen === target.slice(1));
}

/** Whether there are addresses, and all of them are the target's. */
export function coversAddresses(addresses: readonly string[], target: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every((address) => target.includes(address));
}

const NEXT_STEPS: Readonly<Record<LookupFailure["code"], string>> = {
  SERVFAIL: "Ask the zone's DNS provider. Slipway repeats the check.",
  REFUSED: "Check that the zone still exists at its DNS provider. Slipway repeats the check.",
  TIMEOUT: "Check that the name servers are up. Slipway repeats the check.",
  NOT_CHECKED: "Slipway repeats the check.",
  DELEGATION_BROKEN:
    "Set the name servers at the domain's registrar to those of the DNS provider that hosts the zone.",
  MALFORMED_ANSWER: "Ask the zone's DNS provider. Slipway repeats the check.",
};

function failedCheck(failure: LookupFailure): RecordCheck {
  return refuse(failure.code, [], `${failure.reason}. ${NEXT_STEPS[failure.code]}`);
}

function refuse(code: PropagationErrorCode, found: readonly string[], message: string): RecordCheck {
  return { value: found.length === 0 ? null : textOf(found), error: { code, message: printable(message) } };
}

function describe(record: ExpectedHostRecord): string {
  return record.type === "CNAME"
    ? `a CNAME from ${normalizeName(record.name)}`
    : `an ALIAS from ${normalizeName(record.name)}`;
}

function normalized(record: ExpectedHostRecord): { readonly name: string; readonly value: string } {
  return { name: normalizeName(record.name), value: normalizeName(record.value) };
}

function relativeName(name: string, zone: string | null): string {
  if (zone === null || !isWithin(name, zone)) return name;
  return name === zone ? "@" : name.slice(0, -zone.length - 1);
}

function panelHint(name: string, zone: string | null): string {
  const relative = relativeName(name, zone);
  return relative === name ? "" : ` (name it ${relative} if your DNS panel appends ${zone})`;
}

function typesOf(seen: SeenHost): string {
  const types = [
    seen.ipv4.length > 0 ? "A" : null,
    seen.ipv6.length > 0 ? "AAAA" : null,
    seen.texts.length > 0 ? "TXT" : null,
    seen.mailHosts.length > 0 ? "MX" : null,
  ];
  return types.filter((type) => type !== null).join(" and ");
}
