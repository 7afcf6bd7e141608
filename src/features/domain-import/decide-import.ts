import { COMMON_FAULTS } from "../../lib/errors.ts";
import { CUSTOM_DOMAIN_ERRORS } from "../custom-domains/errors.ts";
import { DOMAIN_IMPORT_FAULTS } from "./errors.ts";
import { zoneOf } from "../custom-domains/domain-name.ts";
import type { NamedDomain } from "../custom-domains/domain-name.ts";
import type { ImportLine } from "./read-lines.ts";

/**
 * The result of a line:
 *   accepted   a new domain
 *   duplicate  a line before has the name, or the service has it already
 *   invalid    no domain name
 *   taken      the organization has it elsewhere, or it is being deleted
 *   quota      no group has room, and the account no quota for another distribution
 *   skipped    a heading, a comment, or the rest of a quoted cell
 */
export const FATES = ["accepted", "duplicate", "invalid", "taken", "quota", "skipped"] as const;
export type Fate = (typeof FATES)[number];

/**
 * Which names may share a group:
 *   registrable-domain  those below one registrable domain, because they have one owner
 *   none                all names of the import, in new groups
 *   column              those with the same text in a column of the file; without a text, as `registrable-domain`
 */
export const GROUPINGS = ["registrable-domain", "none", "column"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export type LineFate = {
  readonly line: number;
  readonly name: string;
  readonly fate: Fate;
  /** Why it is not accepted. */
  readonly code: string | null;
  readonly message: string | null;
  /** The group that has the name; of an accepted one, where in `ImportPlan.groups` it is placed. */
  readonly groupId: string | null;
  readonly groupName: string | null;
  readonly place: number | null;
};

/**
 * A group that gets names: an existing group, or a new one (`id` null), which is called like its first name, or like
 * the text of its column.
 */
type PlannedGroup = {
  readonly id: string | null;
  readonly name: string;
  readonly names: readonly NamedDomain[];
};

export type ImportPlan = { readonly fates: readonly LineFate[]; readonly groups: readonly PlannedGroup[] };

/** A name that the organization has. */
export type TakenName = {
  readonly name: string;
  readonly groupId: string;
  readonly groupName: string;
  readonly serviceId: string;
  readonly isDesired: boolean;
};

/** A group of the service that takes more names. */
export type GroupWithRoom = {
  readonly id: string;
  readonly name: string;
  readonly room: number;
  /** The owner of all its names (`ownersOf`). */
  readonly owner: string;
};

type NameLine = Extract<ImportLine, { kind: "name" }>;

/** A registrable domain contains no space, so no owner by a column equals one by a domain. */
const COLUMN = "column ";

/**
 * The owner of a name, as the grouping defines it. With `column`, a name that is not in the file has no known owner
 * (null), so that no group of another customer gets names. Pure.
 */
export function ownersOf(lines: readonly ImportLine[], groupBy: Grouping): (name: string) => string | null {
  if (groupBy === "none") return () => "";
  if (groupBy === "registrable-domain") return zoneOf;
  const owners = new Map<string, string>();
  for (const line of lines) {
    if (line.kind !== "name" || owners.has(line.name)) continue;
    // Case and spaces differ in lists that people keep.
    owners.set(line.name, line.group === null ? zoneOf(line.name) : COLUMN + line.group.toLowerCase());
  }
  return (name) => owners.get(name) ?? null;
}

/** The owner that all names have; null if there are several, none or no name. Pure. */
export function commonOwner(
  names: readonly string[],
  ownerOf: (name: string) => string | null,
): string | null {
  const owners = new Set(names.map(ownerOf));
  const [owner = null] = owners;
  return owners.size === 1 ? owner : null;
}

/** The number of lines with each result. Pure. */
export function countFates(fates: readonly LineFate[]): Readonly<Record<Fate, number>> {
  const counts = { accepted: 0, duplicate: 0, invalid: 0, taken: 0, quota: 0, skipped: 0 };
  for (const { fate } of fates) counts[fate] += 1;
  return counts;
}

/** Places names in the order of their lines: into groups of their owner that have room, then into new groups. Pure. */
export function decideImport(
  lines: readonly ImportLine[],
  present: {
    readonly serviceId: string;
    readonly taken: readonly TakenName[];
    readonly groups: readonly GroupWithRoom[];
  },
  limits: { readonly namesPerGroup: number; readonly newGroups: number; readonly groupBy: Grouping },
): ImportPlan {
  const taken = new Map(present.taken.map((one) => [one.name, one]));
  const seen = new Map<string, number>();
  const groups: { id: string | null; name: string; room: number; names: NamedDomain[] }[] = [];
  /** Where groups with room are, by owner; the owner of all is "" if they share groups. */
  const open = new Map<string, number[]>();
  const add = (owner: string, group: { id: string | null; name: string; room: number }): void => {
    const places = open.get(owner) ?? [];
    open.set(owner, [...places, groups.length]);
    groups.push({ ...group, names: [] });
  };
  // A group that exists has one owner, so names of several owners only go to new groups.
  for (const { owner, ...group } of limits.groupBy === "none" ? [] : present.groups) add(owner, group);
  let made = 0;
  const ownerOf = ownersOf(lines, limits.groupBy);
  const nextName = nameGroups(present.groups);
  const place = ({ name, type, group }: NameLine): number | null => {
    const owner = ownerOf(name) ?? "";
    const hasRoom = (at: number) => (groups[at]?.names.length ?? 0) < (groups[at]?.room ?? 0);
    if (open.get(owner)?.some(hasRoom) !== true) {
      if (made === limits.newGroups) return null;
      made += 1;
      add(owner, { id: null, name: nextName(group ?? name), room: limits.namesPerGroup });
    }
    const places = (open.get(owner) ?? []).filter(hasRoom);
    open.set(owner, places);
    const [at = null] = places;
    if (at !== null) groups[at]?.names.push({ name, type });
    return at;
  };
  const fates = lines.map((read): LineFate => {
    const { line, name } = read;
    const nowhere = { line, name, groupId: null, groupName: null, place: null };
    if (read.kind !== "name") return { ...nowhere, fate: read.kind, ...read.fault };
    const before = seen.get(name);
    if (before !== undefined)
      return {
        ...nowhere,
        fate: "duplicate",
        code: COMMON_FAULTS.DUPLICATE.code,
        message: `is on line ${before}, too`,
      };
    seen.set(name, line);
    const owner = taken.get(name);
    if (owner !== undefined) return { ...nowhere, ...fateOfTaken(owner, present.serviceId) };
    const at = place(read);
    if (at === null)
      return {
        ...nowhere,
        fate: "quota",
        code: DOMAIN_IMPORT_FAULTS.NO_ROOM.code,
        message: "needs another group, and the account's quota of distributions would be exceeded",
      };
    const { id: groupId = null, name: groupName = null } = groups[at] ?? {};
    return { line, name, groupId, groupName, place: at, fate: "accepted", code: null, message: null };
  });
  return { fates, groups };
}

/** Several groups of one customer differ by a number. @returns a name that no group of the import has */
function nameGroups(present: readonly { readonly name: string }[]): (name: string) => string {
  const used = new Set(present.map(({ name }) => name));
  return (name) => {
    let chosen = name;
    for (let number = 2; used.has(chosen); number += 1) chosen = `${name} (${number})`;
    used.add(chosen);
    return chosen;
  };
}

/** @param importedTo the service of the import */
function fateOfTaken({ groupId, groupName, serviceId, isDesired }: TakenName, importedTo: string) {
  if (isDesired && serviceId === importedTo)
    return {
      groupId,
      groupName,
      fate: "duplicate",
      code: COMMON_FAULTS.DUPLICATE.code,
      message: "is a domain of this service already",
    } as const;
  // The caller may not see the other service, so nothing of it is named.
  return {
    fate: "taken",
    code: CUSTOM_DOMAIN_ERRORS.DOMAIN_TAKEN.code,
    message: isDesired ? "is a domain of another service" : "is still being deleted; import it again later",
  } as const;
}
