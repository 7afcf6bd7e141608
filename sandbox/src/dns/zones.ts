/**
 * DNS zones of accounts, as Amazon Route 53 has them. If a zone is delegated, the DNS names the zone's servers for its
 * name, and shows the zone's records. Otherwise the zone keeps its records, and the DNS does not show them.
 */
import { createHash, randomUUID } from "node:crypto";
import type { InputOf } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import type { SandboxState } from "../state.ts";
import { isAtOrBelow, normalizeName, ZONE_SERVERS } from "./names.ts";
import { findConflict, type RecordSet, type Records } from "./records.ts";

export type Zone = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly nameServers: readonly string[];
  /** Whether the account's owner lets Slipway change it, as the parameter of the stack on AWS does. */
  readonly isAllowed: boolean;
  /** Seen only within networks of the account. */
  readonly isPrivate: boolean;
  /** False: it accepts records, and its name servers do not serve them. */
  readonly isServed?: boolean;
};

export type Zones = {
  create(
    accountId: string,
    settings: Pick<Zone, "name" | "isAllowed" | "isPrivate" | "isServed"> & {
      isDelegated: boolean;
      nameServers: readonly string[] | null;
    },
    organizationId: string | null,
  ): Zone;
  list(accountId: string): readonly Zone[];
  find(accountId: string, name: string): { zones: { id: string; nameServers: string[] }[] };
  look(
    accountId: string,
    id: string,
    names: readonly string[],
  ): { found: { type: string; values: string[] }[][] };
  change(accountId: string, kind: "create" | "delete", input: InputOf<"zones.create">): void;
};

type Stored = { readonly zoneId: string; readonly set: RecordSet };

export function openZones(state: SandboxState, records: Records): Zones {
  const zones = state.collection<Zone>("zones");
  const unseen = state.collection<Stored>("zone-records");

  /** @throws Refusal `ACCESS_DENIED` for a zone that is not there, not public, or not allowed */
  function open(accountId: string, id: string): Zone {
    const zone = zones.get(id);
    if (zone?.accountId === accountId && zone.isAllowed && !zone.isPrivate) return zone;
    throw new Refusal("denied", "ACCESS_DENIED", "The role may not change this zone.");
  }

  /** Where a zone's records are: in the DNS, or in a collection that the DNS does not show. */
  function placeOf(zone: Zone, organizationId?: string) {
    const delegation = records.at(zone.name).find(({ type }) => type === "NS");
    const isDelegated = delegation?.values.toSorted().join() === zone.nameServers.toSorted().join();
    const keyOf = ({ name, type }: Pick<RecordSet, "name" | "type">) => `${zone.id}/${name}/${type}`;
    if (isDelegated && zone.isServed !== false)
      return {
        at: (name: string) => records.at(name),
        put: (set: RecordSet) => records.put(set, organizationId ?? null),
        remove: ({ name, type }: RecordSet) => records.remove(name, type),
      };
    return {
      at: (name: string) =>
        [...unseen.values()].flatMap(({ zoneId, set }) =>
          zoneId === zone.id && set.name === name ? [set] : [],
        ),
      put: (set: RecordSet) => unseen.put(keyOf(set), { zoneId: zone.id, set }),
      remove: (set: RecordSet) => unseen.delete(keyOf(set)),
    };
  }

  return {
    create(accountId, { isDelegated, ...settings }, organizationId) {
      const id = `Z${randomUUID().replaceAll("-", "").slice(0, 20).toUpperCase()}`;
      const number = Number.parseInt(createHash("sha256").update(id).digest("hex").slice(0, 8), 16);
      const nameServers = settings.nameServers ?? [1, 2].map((of) => `ns${of}-${number}.${ZONE_SERVERS}`);
      const zone: Zone = { id, accountId, ...settings, name: normalizeName(settings.name), nameServers };
      if (isDelegated && !zone.isPrivate) {
        const set = { name: zone.name, type: "NS", values: nameServers, ttl: 60 } as const;
        records.put(set, organizationId);
      }
      zones.put(id, zone);
      return zone;
    },
    list: (accountId) => [...zones.values()].filter((zone) => zone.accountId === accountId),
    find(accountId, name) {
      const own = [...zones.values()].filter((zone) => zone.accountId === accountId && !zone.isPrivate);
      if (!own.some(({ isAllowed }) => isAllowed))
        throw new Refusal("denied", "ACCESS_DENIED", "The role may not list zones.");
      return {
        zones: own
          .filter((zone) => zone.name === name)
          .map(({ id, nameServers }) => ({ id, nameServers: [...nameServers] })),
      };
    },
    look(accountId, id, names) {
      const place = placeOf(open(accountId, id));
      const read = (name: string) =>
        place.at(name).map(({ type, values }) => ({ type, values: [...values] }));
      return { found: names.map(read) };
    },
    change(accountId, kind, { id, records: changed }) {
      const zone = open(accountId, id);
      const owner = records.at(zone.name).find(({ type }) => type === "NS")?.organizationId;
      const place = placeOf(zone, owner);
      const sets = changed.map(
        ({ type, name, value }) => ({ name, type, values: [value], ttl: 60 }) as const,
      );
      for (const set of sets) {
        const present = place.at(set.name);
        const same = present.find(({ type }) => type === set.type);
        const isInTheWay =
          kind === "delete"
            ? same?.values.join() !== set.values.join()
            : same !== undefined || findConflict(set, present) !== null;
        if (isInTheWay || !isAtOrBelow(set.name, zone.name))
          throw new Refusal(
            "invalid",
            "RECORD_CONFLICT",
            `The records at ${set.name} do not allow this change.`,
          );
      }
      for (const set of sets) {
        if (kind === "create") place.put(set);
        else place.remove(set);
      }
    },
  };
}
