/**
 * User ids for the commands of repositories, one per account, if Slipway runs as root and can switch users.
 * They have no name and no line in `/etc/passwd`. An account keeps its id forever.
 */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { SandboxState } from "../../state.ts";
import type { CommandUser } from "./confine.ts";

export type CommandUsers = {
  /** @throws Error when there is no id left */
  of(accountId: string): CommandUser;
  /** Belongs to no account. Its group may pass through Slipway's folders, but cannot read them. */
  readonly first: CommandUser;
};

type Ids = { readonly from: number; readonly count: number };

/** Above the ranges of users, containers and directory services (systemd's list of UIDs and GIDs). */
const HIGH: Ids = { from: 1_900_000_000, count: 200_000_000 };
/** For a user namespace that maps the usual 65,536 ids. */
const LOW: Ids = { from: 30_000, count: 30_000 };
const OF_NOBODY = "";

/** Each sandbox of a machine takes a random hundredth or thousandth of the range, so that two rarely share ids. */
export function openCommandUsers(state: SandboxState): CommandUsers {
  const store = state.collection<{ readonly accountId: string; readonly uid: number }>("command-users");
  const ids = isMapped(HIGH) ? HIGH : LOW;
  const size = ids.count / (ids === HIGH ? 1_000 : 100);
  const kept = store.get(OF_NOBODY)?.uid ?? 0;
  const isKept = kept >= ids.from && kept < ids.from + ids.count;
  const first = isKept ? kept : ids.from + randomInt(ids.count / size) * size;
  if (!isKept) {
    // The state is new, or was moved to a machine with other ids.
    for (const { accountId } of store.values()) store.delete(accountId);
    store.put(OF_NOBODY, { accountId: OF_NOBODY, uid: first });
  }
  return {
    first: { uid: first, gid: first },
    of(accountId) {
      const known = store.get(accountId);
      const uid = known?.uid ?? first + store.size;
      if (uid >= first + size) throw new Error("There is no user id left for another account's commands.");
      if (known === undefined) store.put(accountId, { accountId, uid });
      return { uid, gid: uid };
    },
  };
}

/** Gives a folder and everything in it to a user. Links themselves change owner; they are not followed. */
export async function giveTo(user: CommandUser, folder: string): Promise<void> {
  await promisify(execFile)("chown", ["-hRP", `${user.uid}:${user.gid}`, "--", folder]);
}

/** Whether this user namespace has these ids. */
function isMapped({ from, count }: Ids): boolean {
  const file = "/proc/self/uid_map";
  if (!existsSync(file)) return false;
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .some(([inside = 0, , length = 0]) => inside <= from && from + count <= inside + length);
}
