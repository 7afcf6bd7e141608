/**
 * User ids for the commands of repositories, one per account, if Slipway runs as root and can switch users. They have no
 * name and no line in `/etc/passwd`. An account keeps its id forever. While the commands of a build or a release run,
 * its folder belongs to them.
 */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, chownSync, existsSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { SandboxState } from "../../state.ts";
import type { Isolation } from "./confine.ts";
import type { CommandUser } from "./mount.ts";

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
async function giveTo(user: CommandUser, folder: string): Promise<void> {
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

/** The user that the commands of an account run as; null: Slipway's own user. */
export function userIn(
  { kind }: Isolation,
  users: CommandUsers | null,
  accountId: string,
): CommandUser | null {
  if (users === null || kind === "none") return null;
  const user = users.of(accountId);
  // Without their own file system, commands have to pass through our folders, which this group may.
  return kind === "uid" ? { uid: user.uid, gid: users.first.gid } : user;
}

/** Creates what is missing in a root, and gives all of it to the user. */
export async function openRoot(root: string, user: CommandUser | null): Promise<void> {
  for (const name of ["home", "tmp"]) await mkdir(path.join(root, name), { recursive: true });
  await chmod(root, 0o700);
  if (user === null) return;
  const home = path.join(root, "home");
  const lines = [
    "root:x:0:0:root:/root:/usr/sbin/nologin",
    `command:x:${user.uid}:${user.gid}:command:${home}:/bin/sh`,
  ];
  await writeFile(path.join(root, "passwd"), `${lines.join("\n")}\n`);
  await giveTo(user, root);
}

/** Takes a root back after its commands have ended: other users may not enter it. Its content stays as it is. */
export async function closeRoot(root: string): Promise<void> {
  await chown(root, 0, 0);
  await chmod(root, 0o700);
}

/** Lets members of a group pass through a folder, and nothing more. */
export function letPass(folder: string, { gid }: CommandUser): void {
  chownSync(folder, 0, gid);
  chmodSync(folder, 0o710);
}

/** Undoes `letPass`. */
export function keepOut(folder: string): void {
  chownSync(folder, 0, 0);
  chmodSync(folder, 0o700);
}
