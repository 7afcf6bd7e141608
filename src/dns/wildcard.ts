import { randomBytes } from "node:crypto";
import type { Authority } from "./authority.ts";
import type { Budget } from "./ask.ts";
import { isAskable, isWithin, parentOf } from "./names.ts";
import type { DnsRecord, RecordType } from "./wire/message.ts";

/** A wildcard that answers for a name as it answers for random names (RFC 4592). */
export type Wildcard = {
  /** `*.example.com`. */
  readonly at: string;
  /** Whether it answers for the name. If not, the name has records of its own, or exists because of one below it. */
  readonly isAnswering: boolean;
  /**
   * The names between the wildcard and the name for which it answers too. It stops answering for them as soon as the name
   * has a record, because then they exist (RFC 4592, section 2.2.2). The nearest to the name comes first.
   */
  readonly ended: readonly string[];
};

/** Deeper names than this are not searched for the wildcard that answers for them. */
const MAX_CLIMB = 6;

type Seen = { readonly type: RecordType; readonly values: readonly string[] };

/**
 * Finds the wildcard that gives what was seen at a name. It queries random names beside and below the name, which no
 * owner can have set. Null if no wildcard does, or if that cannot be found out now. Never rejects.
 */
export async function findWildcard(
  authority: Authority,
  { name, zone, seen }: { readonly name: string; readonly zone: string; readonly seen: Seen },
  budget: Budget,
): Promise<Wildcard | null> {
  const isSame = (values: readonly string[] | null) => gives(values, seen.values);
  const valuesBelow = async (parent: string): Promise<readonly string[] | null> => {
    const records = await askRandomly(authority, parent, seen.type, budget);
    return records === null ? null : valuesOf(records, seen.type);
  };
  const answersBelow = async (parent: string): Promise<boolean> => {
    const values = await valuesBelow(parent);
    if (values === null || values.length === 0 || isSame(values)) return values !== null && isSame(values);
    // Some wildcards answer differently each time, such as wildcards that lead to a load balancer.
    return !gives(await valuesBelow(parent), values);
  };
  // The name `*.example.com` itself is below `example.com`, where it would answer for all names.
  const first = parentOf(name.startsWith("*.") ? parentOf(name) : name);
  if (first === "" || !isWithin(first, zone) || !(await answersBelow(first))) return null;
  let encloser = first;
  const ended: string[] = name.startsWith("*.") ? [parentOf(name)] : [];
  for (let climbed = 0; encloser !== zone && climbed < MAX_CLIMB; climbed += 1) {
    const above = parentOf(encloser);
    if (!(await answersBelow(above))) break;
    ended.push(encloser);
    encloser = above;
  }
  // An existing name would keep the wildcard from answering below it.
  const isAnswering = await answersBelow(name);
  return { at: `*.${encloser}`, isAnswering, ended: isAnswering ? ended : [] };
}

/**
 * Finds the wildcard that does not answer for a name without records, because one exists below it (RFC 4592,
 * section 2.2.2), and answers for a random name beside it. Null if none does, or if that cannot be found out now.
 */
export async function findEndedWildcard(
  authority: Authority,
  { name, zone }: { readonly name: string; readonly zone: string },
  budget: Budget,
): Promise<Wildcard | null> {
  const parent = parentOf(name);
  if (name.startsWith("*.") || !isWithin(parent, zone)) return null;
  // The answer includes a CNAME, if there is one. A wildcard with neither serves no site that could go offline.
  const records = await askRandomly(authority, parent, "A", budget);
  const isThere = records !== null && records.length > 0;
  return isThere ? { at: `*.${parent}`, isAnswering: false, ended: [] } : null;
}

function gives(values: readonly string[] | null, expected: readonly string[]): boolean {
  return values?.some((value) => expected.includes(value)) === true;
}

async function askRandomly(
  authority: Authority,
  parent: string,
  type: RecordType,
  budget: Budget,
): Promise<readonly DnsRecord[] | null> {
  const name = `slipway-${randomBytes(8).toString("hex")}.${parent}`;
  if (!isAskable(name)) return null;
  const looked = await authority.lookUp({ name, type }, budget);
  return looked.kind === "answered" ? looked.records : null;
}

export function valuesOf(records: readonly DnsRecord[], type: RecordType): readonly string[] {
  return records.filter((record) => record.type === type).map(({ value }) => value);
}
