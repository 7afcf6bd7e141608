import type { Lookup, LookupFailure, View } from "./authority.ts";
import type { Caa, Question } from "./wire/message.ts";
import type { CaaRefusal } from "./dns.ts";
import { isWithin, normalizeName, parentOf } from "./names.ts";
import { printable, quote } from "./quote-values.ts";
import { recordsAt } from "./zones.ts";

/** The CAA set that governs a name: the closest one up the tree. */
export type CaaSet = {
  readonly kind: "set";
  /** The name at or above the governed one where the climb found it. */
  readonly at: string;
  /** The name that has the records: `at`, or the end of the CNAME chain from `at`. */
  readonly owner: string;
  /** The DNS zone of `at`; null if it is unknown. */
  readonly zone: string | null;
  readonly records: readonly Caa[];
  /** Each record in the notation of zone files. */
  readonly found: readonly string[];
};

/** Name servers of one zone whose CAA records at `at` decide differently. */
export type CaaDisagreement = {
  readonly at: string;
  readonly zone: string;
  readonly found: readonly string[];
  readonly allowing: readonly string[];
  readonly refusing: readonly string[];
};

const MAX_ALIASES = 8;

/**
 * Climbs from `name` to the first CAA set (RFC 8659, section 3). A wildcard starts at the name below the asterisk. Null
 * when there is no set up to the top-level domain.
 */
export async function findCaaSet(
  name: string,
  lookUp: (question: Question) => Promise<Lookup>,
): Promise<CaaSet | LookupFailure | null> {
  const start = withoutWildcard(normalizeName(name));
  for (let at = start; at !== ""; at = parentOf(at)) {
    const looked = await findCaaAt(at, lookUp);
    if (looked !== null) return looked;
  }
  return null;
}

/** A CNAME is followed for its own name only: the climb continues from the alias, not from its target. */
async function findCaaAt(
  at: string,
  lookUp: (question: Question) => Promise<Lookup>,
): Promise<CaaSet | LookupFailure | null> {
  let owner = at;
  let zone: string | null = null;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const looked = await lookUp({ name: owner, type: "CAA" });
    if (looked.kind === "failed") return looked;
    if (owner === at) zone = looked.zone;
    let end = owner;
    for (let hop = 0; hop < MAX_ALIASES; hop += 1)
      end = recordsAt(looked.records, end, "CNAME")[0]?.value ?? end;
    const set = looked.records.filter((record) => record.type === "CAA").filter(({ name }) => name === end);
    if (set.length > 0) {
      const found = set.map(({ value }) => value);
      return { kind: "set", at, owner: end, zone, records: set.map(({ caa }) => caa), found };
    }
    if (end === owner) return null;
    owner = end;
  }
  return null;
}

/** The tags that certificate authorities know: those of RFC 8659, RFC 9495 and the CA/Browser Forum. */
const KNOWN_TAGS: ReadonlySet<string> = new Set([
  "issue",
  "issuewild",
  "iodef",
  "issuemail",
  "issuevmc",
  "contactemail",
  "contactphone",
]);

/** A critical record with an unknown tag, for which no authority may issue (RFC 8659, section 4.5). */
function unknownCritical(records: readonly Caa[]): Caa | undefined {
  return records.find((record) => record.critical && !KNOWN_TAGS.has(record.tag));
}

/** The tag that governs a name: `issuewild` for a wildcard if the set has one. */
function governingTag(records: readonly Caa[], name: string): "issue" | "issuewild" {
  const isWild = name.startsWith("*.") && records.some(({ tag }) => tag === "issuewild");
  return isWild ? "issuewild" : "issue";
}

/** Whether a set allows none of `issuers` to issue for `name` (RFC 8659, section 4). */
export function refusesIssuers(records: readonly Caa[], name: string, issuers: readonly string[]): boolean {
  if (unknownCritical(records) !== undefined) return true;
  const tag = governingTag(records, name);
  const governing = records.filter((record) => record.tag === tag);
  if (governing.length === 0) return false;
  const wanted = new Set(issuers.map(normalizeName));
  return !governing.some((record) => wanted.has(issuerOf(record)));
}

/**
 * Whether the name servers of a zone have different CAA records, so that it depends on the server whether an authority
 * may issue. Each name from `name` up to the zone is compared, to the first with a set. Null if all decide alike, or if a
 * CNAME is in the way, which has its own check.
 */
export async function findCaaDisagreement(
  name: string,
  issuers: readonly string[],
  zone: string,
  parts: {
    readonly lookUp: (question: Question) => Promise<Lookup>;
    readonly lookUpAtEach: (question: Question) => Promise<readonly View[]>;
  },
): Promise<CaaDisagreement | null> {
  for (let at = withoutWildcard(normalizeName(name)); isWithin(at, zone); at = parentOf(at)) {
    const views = await parts.lookUpAtEach({ name: at, type: "CAA" });
    if (views.some(({ records }) => records.some(({ type }) => type === "CNAME"))) return null;
    const sets = views.map(({ records }) => records.filter((record) => record.type === "CAA"));
    if (sets.every((set) => set.length === 0)) continue;
    const above = await findCaaSet(parentOf(at), parts.lookUp);
    // Servers without a set leave it to the name above.
    const isAboveRefusing = above?.kind === "set" && refusesIssuers(above.records, name, issuers);
    const isRefusing = sets.map((set) =>
      set.length === 0
        ? isAboveRefusing
        : refusesIssuers(
            set.map(({ caa }) => caa),
            name,
            issuers,
          ),
    );
    const serversOf = (refuses: boolean) =>
      views.filter((_, index) => isRefusing[index] === refuses).map(({ nameServer }) => nameServer);
    const [allowing, refusing] = [serversOf(false), serversOf(true)];
    if (allowing.length === 0 || refusing.length === 0) return null;
    const found = [...new Set(sets.flat().map(({ value }) => value))].toSorted();
    return { at, zone, found, allowing, refusing };
  }
  return null;
}

/** The issuer's domain without parameters; empty for `;`, which allows no issuer. */
export function issuerOf(record: Caa): string {
  const [issuer = ""] = record.value.split(";", 1);
  return normalizeName(issuer.trim());
}

function withoutWildcard(name: string): string {
  return name.startsWith("*.") ? name.slice(2) : name;
}

/**
 * Explains a refusal, and says what its owner can do. A CAA record helps at `at`, except where no record may be:
 * beside a CNAME (RFC 1034, section 3.6.2). There the set of the CNAME's target counts (RFC 8659, section 3).
 * @param needsCname whether `name` must become a CNAME itself. Pure.
 */
export function explainRefusal(
  { at, owner, zone, records, found }: CaaSet,
  name: string,
  { issuers, needsCname }: { readonly issuers: readonly string[]; readonly needsCname: boolean },
): CaaRefusal {
  const value = `0 ${governingTag(records, name)} "${issuers[0] ?? ""}"`;
  const who = issuers.join(" or ");
  const quoted = printable(quote(found));
  const critical = unknownCritical(records);
  const parent = parentOf(at);
  const parentInZone = zone !== null && at !== zone && isWithin(parent, zone) ? parent : null;
  if (owner !== at) {
    const repoint =
      at === name
        ? `set the SERVICE_CONNECTION record at ${at} now, which replaces the CNAME (visitors get a certificate error until the domain is ATTACHED)`
        : `point ${at} elsewhere`;
    return {
      at,
      owner,
      found,
      value,
      setAt: null,
      message: `${at} is a CNAME to ${owner}, whose CAA records (${quoted}) do not let ${who} issue certificates. No CAA record can exist beside a CNAME.`,
      action: `Do one of these: ${repoint}; or remove the CNAME at ${at} until the certificate is issued; or ask the owner of ${owner} to add a CAA record there with the value ${value}.`,
    };
  }
  const message = `The CAA records at ${at} (${quoted}) do not let ${who} issue certificates.`;
  const refusal = { at, owner, found, value, message };
  if (critical !== undefined) {
    return {
      ...refusal,
      setAt: null,
      message: `The CAA record at ${at} with the critical tag ${printable(critical.tag)} does not let any authority issue certificates that does not know this tag.`,
      action: `Remove that record at ${at}, or make it not critical.`,
    };
  }
  if (needsCname && at === name) {
    return {
      ...refusal,
      setAt: parentInZone,
      action:
        parentInZone === null
          ? `Remove them, because no CNAME can exist beside them, and ${at} needs a CNAME.`
          : `Move them from ${at} to ${parentInZone}, because no CNAME can exist beside them, and ${at} needs a CNAME. Add a CAA record at ${parentInZone} with the value ${value}, then set the CNAME.`,
    };
  }
  return { ...refusal, setAt: at, action: `Add a CAA record at ${at} with the value ${value}.` };
}
