/**
 * Keeps other users of the machine out of our folders. systemd's `StateDirectory` and an operator's `mkdir` make
 * folders that all users can read, and releases up to 0.1.0 wrote files that all users could change. The umask, which
 * the programs set first, protects everything that is written from now on.
 */
import { chmodSync, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Config } from "../config/config.ts";
import { FolderError } from "../../lib/operator-error.ts";

/** No rights for the group and for others. */
export const PRIVATE_UMASK = 0o077;
const OPEN_BITS = 0o077;

/** Call it before anything is opened in the folders. @throws FolderError */
export function closeFolders({ dataDir, sealingKeysDir }: Config): void {
  closeFolder(dataDir, "SLIPWAY_DATA_DIR");
  closeFolder(sealingKeysDir, "SLIPWAY_SEALING_KEYS");
}

/**
 * Removes all rights of other users from a folder and its content. Does nothing if the folder does not exist, or on
 * Windows, which has no such rights.
 * @param variable the environment variable that names the folder, for the message
 * @throws FolderError when others may enter the folder and we do not own it
 */
export function closeFolder(folder: string, variable: string): void {
  if (process.platform === "win32") return;
  const seen = statSync(folder, { throwIfNoEntry: false });
  if (seen === undefined || !seen.isDirectory()) return;
  // The top folder first: from now on, other users cannot reach the content that is still open.
  if ((seen.mode & OPEN_BITS) !== 0) closeTop(folder, seen.mode, variable);
  // Each folder is closed after its content, so that the next start completes an interrupted one.
  const entries = readdirSync(folder, { withFileTypes: true });
  if ((seen.mode & OPEN_BITS) !== 0 || entries.some((entry) => isOpen(folder, entry))) {
    for (const entry of entries) closeEntry(folder, entry);
  }
}

function closeTop(folder: string, mode: number, variable: string): void {
  try {
    chmodSync(folder, mode & 0o7700);
  } catch (cause) {
    throw new FolderError(
      `Other users of this machine can access the folder ${folder}, and Slipway cannot close it because another user owns it. Make the user who runs Slipway its owner, or let ${variable} name a folder inside it that does not exist yet: Slipway will create it.`,
      { cause },
    );
  }
}

function isOpen(folder: string, entry: Dirent): boolean {
  if (entry.isSymbolicLink()) return false;
  const seen = lstatSync(path.join(folder, entry.name), { throwIfNoEntry: false });
  return seen !== undefined && (seen.mode & OPEN_BITS) !== 0;
}

/** Links are skipped: they lead to another folder. */
function closeEntry(folder: string, entry: Dirent): void {
  if (entry.isSymbolicLink()) return;
  const at = path.join(folder, entry.name);
  try {
    if (entry.isDirectory()) {
      for (const inner of readdirSync(at, { withFileTypes: true })) closeEntry(at, inner);
    }
    const { mode } = lstatSync(at);
    if ((mode & OPEN_BITS) !== 0) chmodSync(at, mode & 0o7700);
  } catch (error) {
    if (!isGoneOrForeign(error)) throw error;
  }
}

/** The entry was removed meanwhile, or belongs to another user, who may keep it. Others can no longer reach it. */
function isGoneOrForeign(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && ["ENOENT", "EPERM", "EACCES"].includes(String(error.code))
  );
}
