import type { Lookup, LookupFailure } from "./authority.ts";
import type { Caa, Question } from "./wire/message.ts";
import { normalizeName, parentOf } from "./names.ts";
import { recordsAt } from "./zones.ts";

/** The CAA set that governs a name: the closest one up the tree. */
export type CaaSet = {
  readonly kind: "set";
  readonly at: string;
  readonly records: readonly Caa[];
  /** Each record in the notation of zone files. */
  readonly found: readonly string[];
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
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const looked = await lookUp({ name: owner, type: "CAA" });
    if (looked.kind === "failed") return looked;
    let end = owner;
    for (let hop = 0; hop < MAX_ALIASES; hop += 1)
      end = recordsAt(looked.records, end, "CNAME")[0]?.value ?? end;
    const set = looked.records.filter((record) => record.type === "CAA").filter(({ name }) => name === end);
    if (set.length > 0) {
      return { kind: "set", at, records: set.map(({ caa }) => caa), found: set.map(({ value }) => value) };
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

/** Whether a set allows none of `issuers` to issue for `name` (RFC 8659, section 4). */
export function refusesIssuers(records: readonly Caa[], name: string, issuers: readonly string[]): boolean {
  if (records.some((record) => record.critical && !KNOWN_TAGS.has(record.tag))) return true;
  const forWildcards = records.filter((record) => record.tag === "issuewild");
  const governing =
    name.startsWith("*.") && forWildcards.length > 0
      ? forWildcards
      : records.filter((record) => record.tag === "issue");
  if (governing.length === 0) return false;
  const wanted = new Set(issuers.map(normalizeName));
  return !governing.some((record) => wanted.has(issuerOf(record)));
}

/** The issuer's domain without parameters; empty for `;`, which allows nobody. */
function issuerOf(record: Caa): string {
  const [issuer = ""] = record.value.split(";", 1);
  return normalizeName(issuer.trim());
}

function withoutWildcard(name: string): string {
  return name.startsWith("*.") ? name.slice(2) : name;
}
