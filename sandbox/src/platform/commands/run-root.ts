/** The folder of one build or one release, and its owner while its commands run. */
import { chmodSync, chownSync } from "node:fs";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type CommandUsers, giveTo } from "./command-users.ts";
import type { CommandUser, Isolation } from "./confine.ts";

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
