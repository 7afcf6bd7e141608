/** The records that people set in the sandbox's DNS, as in a DNS provider's panel, and the rules for them. */
import { isIPv4, isIPv6 } from "node:net";
import { AppError, COMMON_ERRORS, COMMON_FAULTS, type Fault } from "../../../src/lib/errors.ts";
import { createTally } from "../../../src/lib/pace/tally.ts";
import { SANDBOX_ERRORS, SANDBOX_FAULTS } from "../errors.ts";
import { isReservedName, normalizeName, parentOf } from "./names.ts";
import type { SandboxState } from "../state.ts";

export const RECORD_TYPES = ["A", "AAAA", "CNAME", "TXT", "CAA", "NS", "ALIAS"] as const;
export type DnsRecordType = (typeof RECORD_TYPES)[number];

/** All records of one name and type. `values` are in zone-file notation; names have no trailing dot. */
export type RecordSet = {
  readonly name: string;
  readonly type: DnsRecordType;
  readonly values: readonly string[];
  readonly ttl: number;
  /** The organization that set it; others may not change it. */
  readonly organizationId?: string;
};

/** This record may not coexist with existing ones, by the DNS's own rules. The message may be shown. */
export function recordConflict(message: string): AppError {
  return new AppError(SANDBOX_ERRORS.RECORD_CONFLICT, message);
}

export type Records = {
  /** The sets of an organization and those without one; without an organization, all sets. */
  list(organizationId?: string): readonly RecordSet[];
  /** The sets at exactly this name. */
  at(name: string): readonly RecordSet[];
  /** Whether the name, or a name below it, has records (RFC 8020: an empty non-terminal exists). */
  exists(name: string): boolean;
  /** Replaces the set of this name and type, for an organization or without one. @throws AppError `RECORD_CONFLICT` */
  put(set: RecordSet, organizationId: string | null): void;
  /** @throws AppError `RECORD_CONFLICT` when it belongs to another organization */
  remove(name: string, type: DnsRecordType, organizationId?: string): void;
  /** Calls back with the name after each change. */
  onChange(listener: (name: string) => void): void;
};

export function createRecords(state: SandboxState): Records {
  const sets = state.collection<RecordSet>("dns-records");
  const byName = new Map<string, Map<DnsRecordType, RecordSet>>();
  /** For each name, how many names with records are at or below it. */
  const descendants = createTally();
  const listeners: ((name: string) => void)[] = [];

  const countUp = (name: string, by: 1 | -1) => {
    for (let at: string | null = name; at !== null; at = parentOf(at)) descendants.add(at, by);
  };
  const index = (set: RecordSet) => {
    const types = byName.get(set.name);
    if (types !== undefined) {
      types.set(set.type, set);
      return;
    }
    byName.set(set.name, new Map([[set.type, set]]));
    countUp(set.name, 1);
  };
  for (const set of sets.values()) index(set);

  const at = (name: string): readonly RecordSet[] => [...(byName.get(name)?.values() ?? [])];
  return {
    list: (organizationId) =>
      [...sets.values()]
        .filter((set) => mayChange(set, organizationId))
        .sort((a, b) => compare(a.name, b.name) || compare(a.type, b.type)),
    at,
    exists: (name) => descendants.of(name) > 0,
    put(given, organizationId) {
      const set = organizationId === null ? given : { ...given, organizationId };
      if (!at(set.name).every((other) => mayChange(other, set.organizationId))) throw foreign(set.name);
      const conflict = findConflict(set, at(set.name));
      if (conflict !== null) throw recordConflict(conflict);
      sets.put(`${set.name}/${set.type}`, set);
      index(set);
      for (const listener of listeners) listener(set.name);
    },
    remove(name, type, organizationId) {
      const types = byName.get(name);
      const present = types?.get(type);
      if (types === undefined || present === undefined) return;
      if (!mayChange(present, organizationId)) throw foreign(name);
      sets.delete(`${name}/${type}`);
      types.delete(type);
      if (types.size === 0) {
        byName.delete(name);
        countUp(name, -1);
      }
      for (const listener of listeners) listener(name);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** A caller without an organization may change all records. */
function mayChange(set: RecordSet, organizationId: string | undefined): boolean {
  return organizationId === undefined || (set.organizationId ?? organizationId) === organizationId;
}

function foreign(name: string): AppError {
  return recordConflict(
    `Another organization of this Slipway has set records at ${name} in the sandbox's DNS. Use a name of your own, for example below another domain.`,
  );
}

/** Why this set conflicts with the present ones, as a message for users; null if it does not. */
export function findConflict(set: RecordSet, present: readonly RecordSet[]): string | null {
  const others = present.filter((other) => other.type !== set.type).map((other) => other.type);
  const [other] = others;
  if (other === undefined) return null;
  // RFC 1034, section 3.6.2: a name with a CNAME has no other records.
  if (set.type === "CNAME") {
    return `${set.name} already has ${others.join(", ")} records, and a CNAME does not allow other records. Remove those first.`;
  }
  if (others.includes("CNAME")) {
    return `${set.name} has a CNAME record, which does not allow other records. Remove the CNAME first.`;
  }
  const isAddress = (type: DnsRecordType) => type === "A" || type === "AAAA";
  if (set.type === "ALIAS" && others.some(isAddress)) {
    return `${set.name} already has address records, which conflict with an ALIAS. Remove those first.`;
  }
  if (isAddress(set.type) && others.includes("ALIAS")) {
    return `${set.name} has an ALIAS record, which already gives it addresses. Remove the ALIAS first.`;
  }
  return null;
}

/**
 * A record to set, in its stored form.
 * @param what names it in the error
 * @throws AppError `INVALID_REQUEST` with all its faults
 */
export function checkRecord(
  given: { name: string; type: DnsRecordType; values: readonly string[]; ttl?: number },
  what = "record",
): RecordSet {
  const { type, ttl = 60 } = given;
  const faults: Fault[] = [];
  const refuse = (path: string, { code }: Pick<Fault, "code">, message: string) =>
    void faults.push({ path, code, message });
  const name = normalizeName(given.name);
  if (!isOwnerName(name)) {
    const message = "Must be a full domain name, such as www.example.com; the first label may be *.";
    refuse("/name", SANDBOX_FAULTS.NOT_A_DOMAIN, message);
  } else if (isReservedName(name)) {
    refuse("/name", SANDBOX_FAULTS.RESERVED_NAME, "This name belongs to the sandbox itself.");
  }
  if ((type === "CNAME" || type === "ALIAS") && given.values.length > 1)
    refuse("/values", COMMON_FAULTS.TOO_LARGE, `A name can have only one ${type} record.`);
  const values = given.values.map((value, index) => {
    const problem = findValueProblem(type, value);
    if (problem !== null) refuse(`/values/${index}`, COMMON_FAULTS.WRONG_FORM, problem);
    return HOST_VALUED.has(type) ? normalizeName(value) : value;
  });
  if (new Set(values).size < values.length)
    refuse("/values", COMMON_FAULTS.DUPLICATE, "The same value appears twice.");
  if (type === "CNAME" && values[0] === name)
    refuse("/values/0", SANDBOX_FAULTS.SELF_REFERENCE, "A CNAME cannot point to itself.");
  if (faults.length > 0)
    throw new AppError(COMMON_ERRORS.INVALID_REQUEST, `The ${what} is not valid; see errors.`, { faults });
  return { name, type, values, ttl };
}

const HOST_VALUED: ReadonlySet<DnsRecordType> = new Set(["CNAME", "NS", "ALIAS"]);

function findValueProblem(type: DnsRecordType, value: string): string | null {
  switch (type) {
    case "A":
      return isIPv4(value) ? null : "Must be an IPv4 address.";
    case "AAAA":
      return isIPv6(value) && !value.includes("%") ? null : "Must be an IPv6 address.";
    case "CNAME":
    case "NS":
    case "ALIAS":
      return isOwnerName(normalizeName(value)) && !value.includes("*")
        ? null
        : "Must be a full domain name, such as target.example.com.";
    case "TXT":
      return Buffer.byteLength(value) <= 4_096 ? null : "Must have at most 4,096 bytes.";
    case "CAA":
      return parseCaa(value) === null ? 'Must have a form such as 0 issue "ca.example.com".' : null;
  }
}

/** Whether a name can have records: `_` is allowed, and `*` as the first label. */
function isOwnerName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^(?:\*|[a-z0-9_-]{1,63})(?:\.[a-z0-9_-]{1,63})+$/.test(name) &&
    !/\.\d+$/.test(name)
  );
}

export type Caa = { readonly flags: number; readonly tag: string; readonly value: string };

/** Parses a CAA record in zone-file notation (RFC 8659, section 4.1.1); null when it is invalid. */
export function parseCaa(text: string): Caa | null {
  const match = /^(\d{1,3})\s+([a-z0-9]{1,15})\s+(?:"([^"]{0,255})"|([^\s"]{1,255}))$/i.exec(text.trim());
  if (match === null) return null;
  const flags = Number(match[1]);
  const tag = match[2]?.toLowerCase();
  const value = match[3] ?? match[4];
  return flags > 255 || tag === undefined || value === undefined ? null : { flags, tag, value };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
