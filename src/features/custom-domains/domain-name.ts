import { domainToASCII, domainToUnicode } from "node:url";
import { parse } from "tldts";
import { COMMON_FAULTS, type DeclaredFault, type Fault } from "../../lib/errors.ts";
import { CUSTOM_DOMAIN_FAULTS } from "./errors.ts";
import { isWithin } from "../../dns/names.ts";
import type { DnsRecord, Domain, DomainType } from "./custom-domain.ts";

export type DomainNameFault = Pick<Fault, "code" | "message">;

const MAX_NAME_LENGTH = 253;
/** Of the label that a verification record adds to a name: an underscore, 32 digits and a dot. */
const VERIFICATION_LABEL_LENGTH = 34;
/** Of a name without its wildcard: longer ones cannot have a verification record. */
const MAX_PROVABLE_LENGTH = MAX_NAME_LENGTH - VERIFICATION_LABEL_LENGTH;
const MAX_LABEL_LENGTH = 63;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Names that are reserved outside the public DNS (IANA's registry of special-use domain names: RFC 6761, 6762, 7686,
 * 8375, 9476), or for private use (ICANN's resolution 2024.07.29.06). No certificate authority may issue for them. The
 * registry also lists example.com, .net and .org, but they are registered and resolve like others.
 */
const SPECIAL_USE = [
  "alt",
  "arpa",
  "example",
  "internal",
  "invalid",
  "local",
  "localhost",
  "onion",
  "test",
] as const;

/**
 * Normalizes a custom domain as users write it: spaces around it and one trailing dot are dropped, letters become lower case, international
 * names become A-labels (UTS 46). Pure.
 */
export function readDomainName(
  text: string,
): { readonly name: string; readonly type: DomainType } | { readonly fault: DomainNameFault } {
  if (text.length > 1_000)
    return fault(
      CUSTOM_DOMAIN_FAULTS.TOO_LONG,
      "is longer than the 253 characters that a domain name may have",
    );
  const given = text.trim();
  const bare = given.endsWith(".") ? given.slice(0, -1) : given;
  const isWildcard = bare.startsWith("*.");
  const rest = isWildcard ? bare.slice(2) : bare;
  if (rest.includes("*"))
    return fault(
      CUSTOM_DOMAIN_FAULTS.WILDCARD_MISPLACED,
      "may have a wildcard only as its first label, as in *.example.com",
    );
  if (rest.includes("_"))
    return fault(CUSTOM_DOMAIN_FAULTS.UNDERSCORE, "contains an underscore, which certificates do not allow");
  if (/[\s/:@?#%\\]/.test(rest))
    return fault(
      CUSTOM_DOMAIN_FAULTS.NOT_A_DOMAIN,
      "must be a bare domain name such as www.example.com, without scheme, port or path",
    );
  const ascii = domainToASCII(rest).toLowerCase();
  if (ascii === "") return fault(CUSTOM_DOMAIN_FAULTS.NOT_A_DOMAIN, "is not a domain name");
  const name = isWildcard ? `*.${ascii}` : ascii;
  if (name.length > MAX_NAME_LENGTH)
    return fault(
      CUSTOM_DOMAIN_FAULTS.TOO_LONG,
      "is longer than the 253 characters that a domain name may have",
    );
  const labels = ascii.split(".");
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH))
    return fault(CUSTOM_DOMAIN_FAULTS.LABEL_TOO_LONG, "has a label of more than 63 characters");
  if (labels.some((label) => !LABEL.test(label)))
    return fault(CUSTOM_DOMAIN_FAULTS.NOT_A_DOMAIN, "is not a domain name");
  const broken = labels.find((label) => label.startsWith("xn--") && !isALabel(label));
  if (broken !== undefined)
    return fault(
      CUSTOM_DOMAIN_FAULTS.NOT_A_DOMAIN,
      `has the label ${broken}, which is not a valid encoding of an international name; write the name in its own letters`,
    );
  const special = SPECIAL_USE.find((suffix) => ascii === suffix || ascii.endsWith(`.${suffix}`));
  if (special !== undefined && labels.length > 1)
    return fault(
      CUSTOM_DOMAIN_FAULTS.SPECIAL_USE,
      `is under ${special}, which is not part of the public DNS, so it cannot have a public certificate; use a domain that you registered`,
    );
  // Only the registries' suffixes count. Control of a name under a private one, such as github.io, is proved like any.
  const parsed = parse(ascii);
  if (parsed.isIp === true || /^\d+$/.test(labels.at(-1) ?? ""))
    return fault(CUSTOM_DOMAIN_FAULTS.IP_ADDRESS, "is an IP address; a custom domain is a name");
  if (labels.length === 1 && parsed.isIcann !== true)
    return fault(
      CUSTOM_DOMAIN_FAULTS.SINGLE_LABEL,
      "has no dot; write the whole name, such as www.example.com",
    );
  if (parsed.isIcann !== true)
    return fault(
      CUSTOM_DOMAIN_FAULTS.UNKNOWN_TOP_LEVEL_DOMAIN,
      `ends in ${labels.at(-1) ?? ""}, which is not a top-level domain of the public DNS; check the spelling`,
    );
  if (parsed.domain === null)
    return fault(
      CUSTOM_DOMAIN_FAULTS.PUBLIC_SUFFIX,
      "is a public suffix, under which anyone can register names; use a domain that you registered",
    );
  if (ascii.length > MAX_PROVABLE_LENGTH)
    return fault(
      CUSTOM_DOMAIN_FAULTS.TOO_LONG,
      `is longer than ${MAX_PROVABLE_LENGTH} characters, so the name of its verification record would have more than ${MAX_NAME_LENGTH}; use a shorter name`,
    );
  return { name, type: isWildcard ? "WILDCARD" : parsed.domain === ascii ? "APEX" : "SUBDOMAIN" };
}

/**
 * Whether a label is the encoding of an international one (UTS 46): decoding and encoding it returns the same label.
 */
function isALabel(label: string): boolean {
  const decoded = domainToUnicode(label);
  return decoded !== label && decoded !== "" && domainToASCII(decoded) === label;
}

/** A name to search for, in the stored form; a leading `*.` means everything below it. Null for an invalid name. */
export function readSoughtName(text: string): string | null {
  const isBelow = text.startsWith("*.");
  const ascii = domainToASCII((isBelow ? text.slice(2) : text).replace(/\.$/, "")).toLowerCase();
  if (ascii === "" || !ascii.split(".").every((label) => LABEL.test(label))) return null;
  return isBelow ? `*.${ascii}` : ascii;
}

/** The registrable domain; a record is most likely in its DNS zone. */
export function zoneOf(name: string): string {
  return (
    parse(name.replace(/^\*\./, ""), { allowPrivateDomains: true, validateHostname: false }).domain ?? name
  );
}

/** The DNS zone that a domain's record is in, as far as it is known. A CAA record can be above the domain's own zone. */
export function zoneOfRecord(
  { name }: Pick<DnsRecord, "name">,
  domain: Pick<Domain, "name" | "delegation">,
): string {
  const zone = domain.delegation?.zone ?? zoneOf(domain.name);
  return isWithin(name, zone) ? zone : zoneOf(name);
}

/** A record's name without its zone, as DNS panels want it; `@` is the zone itself. */
export function relativeNameOf({ name }: Pick<DnsRecord, "name">, zone: string): string {
  if (name === zone) return "@";
  return isWithin(name, zone) ? name.slice(0, -zone.length - 1) : name;
}

export type NamedDomain = Pick<Domain, "name" | "type">;

/**
 * Reads the names of a request, and skips values that are not strings. Pure.
 * @returns the faults, and the names that have none
 */
export function readDomainNames(texts: readonly unknown[]): {
  readonly names: readonly NamedDomain[];
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const names = new Map<string, NamedDomain>();
  for (const [index, text] of texts.entries()) {
    if (typeof text !== "string" || text === "") continue;
    const path = `/domains/${index}`;
    const read = readDomainName(text);
    if ("fault" in read) faults.push({ path, ...read.fault });
    else if (names.has(read.name))
      faults.push({ path, code: COMMON_FAULTS.DUPLICATE.code, message: `names ${read.name} a second time` });
    else names.set(read.name, read);
  }
  return { names: [...names.values()], faults };
}

function fault({ code }: DeclaredFault, message: string): { readonly fault: DomainNameFault } {
  return { fault: { code, message } };
}
