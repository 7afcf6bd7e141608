import { COMMON_FAULTS } from "../../../lib/errors.ts";
import { CUSTOM_DOMAIN_ERRORS, CUSTOM_DOMAIN_FAULTS } from "../errors.ts";
import type { NamedDomain } from "../names/read-names.ts";
import type { ImportLine } from "./read-lines.ts";

/**
 * What becomes of a line:
 *   accepted   a new domain
 *   duplicate  a line before has the name, or the service has it already
 *   invalid    no domain name
 *   taken      the organization has it elsewhere, or it is being deleted
 *   quota      no group has room, and the account no quota for another distribution
 */
export const FATES = ["accepted", "duplicate", "invalid", "taken", "quota"] as const;
export type Fate = (typeof FATES)[number];

export type LineFate = {
  readonly line: number;
  readonly name: string;
  readonly fate: Fate;
  /** Why it is not accepted. */
  readonly code: string | null;
  readonly message: string | null;
  /** The group that has the name; of an accepted one, where in `ImportPlan.groups` it is placed. */
  readonly groupId: string | null;
  readonly place: number | null;
};

/** A group that gets names: one that exists, or a new one (`id` null). */
type PlannedGroup = { readonly id: string | null; readonly names: readonly NamedDomain[] };

export type ImportPlan = { readonly fates: readonly LineFate[]; readonly groups: readonly PlannedGroup[] };

/** A name that the organization has. */
export type TakenName = {
  readonly name: string;
  readonly groupId: string;
  readonly serviceId: string;
  readonly isWanted: boolean;
};

/** A group of the service, and how many names it still takes. */
export type GroupWithRoom = { readonly id: string; readonly room: number };

/** How many lines have which fate. Pure. */
export function countFates(fates: readonly LineFate[]): Readonly<Record<Fate, number>> {
  const counts = { accepted: 0, duplicate: 0, invalid: 0, taken: 0, quota: 0 };
  for (const { fate } of fates) counts[fate] += 1;
  return counts;
}

/** Places names in the order of their lines, first where there is room, then into new groups. Pure. */
export function decideImport(
  lines: readonly ImportLine[],
  present: {
    readonly serviceId: string;
    readonly taken: readonly TakenName[];
    readonly groups: readonly GroupWithRoom[];
  },
  limits: { readonly namesPerGroup: number; readonly newGroups: number },
): ImportPlan {
  const taken = new Map(present.taken.map((one) => [one.name, one]));
  const seen = new Map<string, number>();
  const groups: { id: string | null; room: number; names: NamedDomain[] }[] = present.groups.map((group) => ({
    ...group,
    names: [],
  }));
  let [at, made] = [0, 0];
  const findPlace = (): number | null => {
    while (groups[at] !== undefined && groups[at]?.room === groups[at]?.names.length) at += 1;
    if (groups[at] === undefined) {
      if (made === limits.newGroups) return null;
      made += 1;
      groups.push({ id: null, room: limits.namesPerGroup, names: [] });
    }
    return at;
  };
  const fates = lines.map((read): LineFate => {
    const { line, name } = read;
    const nowhere = { line, name, groupId: null, place: null };
    if (read.fault !== null) return { ...nowhere, fate: "invalid", ...read.fault };
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
    const place = findPlace();
    if (place === null)
      return {
        ...nowhere,
        fate: "quota",
        code: CUSTOM_DOMAIN_FAULTS.NO_ROOM.code,
        message: "has no group, because the account's quota of distributions would be exceeded",
      };
    groups[place]?.names.push({ name, type: read.type });
    const groupId = groups[place]?.id ?? null;
    return { line, name, groupId, place, fate: "accepted", code: null, message: null };
  });
  return { fates, groups };
}

/** @param importedTo the service of the import */
function fateOfTaken({ groupId, serviceId, isWanted }: TakenName, importedTo: string) {
  if (isWanted && serviceId === importedTo)
    return {
      groupId,
      fate: "duplicate",
      code: COMMON_FAULTS.DUPLICATE.code,
      message: "is a domain of this service already",
    } as const;
  // Others of the organization may see that service, and this caller may not.
  return {
    fate: "taken",
    code: CUSTOM_DOMAIN_ERRORS.DOMAIN_TAKEN.code,
    message: isWanted ? "is a domain of another service" : "is still being deleted; import it again later",
  } as const;
}
