/**
 * Keeps other users of the machine out of a folder of ours. Whoever makes it (systemd's `StateDirectory`, an
 * operator's `mkdir`) makes it readable by all, and releases up to 0.1.0 wrote files that everyone may change.
 * What is written from now on is closed by the umask, which the programs set first of all.
 */
import { chmodSync, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Config } from "./config.ts";
import { FolderError } from "../lib/folder-error.ts";

/** Nothing for the group and nothing for others. */
export const PRIVATE_UMASK = 0o077;
const OPEN_BITS = 0o077;

/** Before anything is opened in them. @throws FolderError */
export function closeFolders({ dataDir, sealingKeysDir }: Config): void {
  closeFolder(dataDir, "SLIPWAY_DATA_DIR");
  closeFolder(sealingKeysDir, "SLIPWAY_SEALING_KEYS");
}

/**
 * Takes all rights of other users off a folder and what is in it. Does nothing where there is no such folder,
 * or no such rights (Windows).
 * @param variable that names the folder, for the message
 * @throws FolderError when others may enter it and it is not ours to close
 */
export function closeFolder(folder: string, variable: string): void {
  if (process.platform === "win32") return;
  const seen = statSync(folder, { throwIfNoEntry: false });
  if (seen === undefined || !seen.isDirectory()) return;
  // First of all: from now on nobody reaches what is still to be closed.
  if ((seen.mode & OPEN_BITS) !== 0) closeTop(folder, seen.mode, variable);
  // Each is closed after all that is in it, so that a start which was broken off is finished by the next.
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
      `Other users of this machine may enter the folder ${folder}, and it is not Slipway's to close, for another user owns it. Make the user who runs Slipway its owner, or let ${variable} name a folder inside it that does not exist yet: Slipway will create it.`,
      { cause },
    );
  }
}

function isOpen(folder: string, entry: Dirent): boolean {
  if (entry.isSymbolicLink()) return false;
  const seen = lstatSync(path.join(folder, entry.name), { throwIfNoEntry: false });
  return seen !== undefined && (seen.mode & OPEN_BITS) !== 0;
}

/** Links are left alone: what they lead to lies in another folder. */
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

/** It was removed meanwhile, or another user put it there, whose own it stays; nobody else reaches it any more. */
function isGoneOrForeign(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && ["ENOENT", "EPERM", "EACCES"].includes(String(error.code))
  );
}
