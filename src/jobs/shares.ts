import { createTally } from "../lib/pace/tally.ts";

/**
 * How many of a process's workers one cloud account and one organization may use. A call without an answer
 * holds its worker for seconds. So an account that does not answer uses up its own share from the first
 * second, and never the others'. (A bulkhead: Nygard, "Release It!".)
 */
export type Shares = {
  /** False if there is no room; the claim must be released. */
  take(holder: Holder): boolean;
  giveBack(holder: Holder): void;
  /** The room for further claims. */
  room(): Room;
};

/** How many more slots each lane and organization may use. If one uses none, it is not listed and has the maximum. */
export type Room = {
  readonly laneMax: number;
  readonly lanes: readonly string[];
  readonly laneRooms: readonly number[];
  readonly organizationMax: number;
  readonly organizations: readonly string[];
  readonly organizationRooms: readonly number[];
};

type Holder = { readonly organizationId: string; readonly accountId: string | null };

/** @param slots how many jobs the process runs at the same time; at least 4 */
export function createShares(slots: number): Shares {
  const laneMax = Math.max(2, Math.floor((slots * 3) / 8));
  const organizationMax = Math.floor((slots * 3) / 4);
  const lanes = createTally();
  const organizations = createTally();
  /** An organization's work that uses no account is one lane. */
  const laneOf = ({ organizationId, accountId }: Holder): string => accountId ?? organizationId;

  return {
    take(holder) {
      const { organizationId } = holder;
      const lane = laneOf(holder);
      if (organizations.of(organizationId) >= organizationMax || lanes.of(lane) >= laneMax) return false;
      organizations.add(organizationId, 1);
      lanes.add(lane, 1);
      return true;
    },
    giveBack(holder) {
      organizations.add(holder.organizationId, -1);
      lanes.add(laneOf(holder), -1);
    },
    room() {
      const ofLanes = [...lanes.entries()];
      const ofOrganizations = [...organizations.entries()];
      return {
        laneMax,
        lanes: ofLanes.map(([lane]) => lane),
        laneRooms: ofLanes.map(([, held]) => laneMax - held),
        organizationMax,
        organizations: ofOrganizations.map(([organization]) => organization),
        organizationRooms: ofOrganizations.map(([, held]) => organizationMax - held),
      };
    },
  };
}

/** Counts the room that is left while work is chosen for it. */
export function createRoomLeft(room: Room): {
  /** False if there is none for it. */
  take(work: { readonly organizationId: string; readonly lane: string }): boolean;
} {
  const lanes = new Map(room.lanes.map((lane, index) => [lane, room.laneRooms[index] ?? 0]));
  const organizations = new Map(
    room.organizations.map((organization, index) => [organization, room.organizationRooms[index] ?? 0]),
  );
  return {
    take({ organizationId, lane }) {
      const ofLane = lanes.get(lane) ?? room.laneMax;
      const ofOrganization = organizations.get(organizationId) ?? room.organizationMax;
      if (ofLane <= 0 || ofOrganization <= 0) return false;
      lanes.set(lane, ofLane - 1);
      organizations.set(organizationId, ofOrganization - 1);
      return true;
    },
  };
}
