/**
 * The folder that holds the keys. All processes of an installation share it. It must be left out of backups: a key in a
 * backup was never destroyed.
 *
 * No reader ever sees half a file. A file is written under a temporary name, flushed, and only then renamed to its own.
 * To destroy a file, its name is removed first. A crash only leaves files with temporary names: readers ignore them,
 * and `removeLeftovers` erases them.
 */
import { randomBytes } from "node:crypto";
import {
  type FileHandle,
  access,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { syncFolder } from "../../lib/sync-folder.ts";
import { SealingError } from "../sealing-error.ts";
import { TIMESTAMP_PATTERN, formatTimestamp, parseTimestampMs } from "./timestamp.ts";

const TEMPORARY_NAME = new RegExp(`^tmp-(${TIMESTAMP_PATTERN})-[0-9a-f]{16}$`);
/** Far longer than writing one small file takes, so that no file of a running process counts as a leftover. */
const LEFTOVER_AFTER_MS = 10 * 60_000;

/** Every method throws SealingError `KEY_FOLDER_UNUSABLE` when the file system refuses. */
export type KeyFolder = {
  readonly path: string;
  /** The names of all files but the temporary ones. */
  list(): Promise<readonly string[]>;
  has(name: string): Promise<boolean>;
  /** Null when there is no such file. */
  read(name: string): Promise<Buffer | null>;
  /** Writes a file that only its owner can read. It survives a power cut only after `sync`. */
  publish(name: string, content: string): Promise<void>;
  /** Writes the file unless it exists: when several processes try, one wins. Says whether this call wrote it. */
  publishOnce(name: string, content: string): Promise<boolean>;
  /** Replaces a file, and overwrites its old content. */
  replace(name: string, content: string): Promise<void>;
  /** Makes earlier writes and removals survive a power cut. */
  sync(): Promise<void>;
  /**
   * Overwrites and removes a file; says whether this call did. Flash and copy-on-write storage may keep old blocks
   * nevertheless, so the folder belongs on an encrypted disk.
   */
  destroy(name: string): Promise<boolean>;
  /** Erases the temporary files of crashed writers. */
  removeLeftovers(): Promise<void>;
};

/**
 * Creates the folder (mode 0700) if it is missing, and checks that files can be written to it.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`
 */
export async function openKeyFolder(path: string, clock: Clock): Promise<KeyFolder> {
  const at = (name: string): string => join(path, name);
  const temporaryName = (): string => `tmp-${formatTimestamp(clock.now())}-${randomBytes(8).toString("hex")}`;

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const code = cause instanceof SealingError ? undefined : errorCode(cause);
      throw code === undefined ? cause : unusable(path, code, cause);
    }
  }

  async function writeTemporary(content: string): Promise<string> {
    const name = temporaryName();
    await withFile(at(name), "wx", async (file) => {
      await file.writeFile(content);
      await file.sync();
    });
    return name;
  }

  async function erase(name: string): Promise<void> {
    await withFile(at(name), "r+", async (file) => {
      const { size, nlink } = await file.stat();
      // A crash may leave a second name of a key that is in use (`publishOnce`, `replace`).
      if (nlink > 1) return;
      await file.write(randomBytes(size), 0, size, 0);
      await file.sync();
    });
    await rm(at(name), { force: true });
  }

  const folder: KeyFolder = {
    path,
    list: () => attempt(async () => (await readdir(path)).filter((name) => !TEMPORARY_NAME.test(name))),
    has: (name) => attempt(async () => (await unlessMissing(access(at(name)))) !== null),
    read: (name) => attempt(() => unlessMissing(readFile(at(name)))),
    publish: (name, content) => attempt(async () => rename(at(await writeTemporary(content)), at(name))),
    publishOnce: (name, content) =>
      attempt(async () => {
        const temporary = await writeTemporary(content);
        try {
          // Unlike a rename, a link never replaces a file that another process published first.
          await link(at(temporary), at(name));
          return true;
        } catch (error) {
          if (errorCode(error) === "EEXIST") return false;
          throw error;
        } finally {
          await rm(at(temporary), { force: true });
        }
      }),
    replace: (name, content) =>
      attempt(async () => {
        const temporary = await writeTemporary(content);
        const old = temporaryName();
        // The old content keeps a name until it is overwritten, so that it is erased as a leftover after a crash.
        await unlessMissing(link(at(name), at(old)));
        await rename(at(temporary), at(name));
        await unlessMissing(erase(old));
      }),
    sync: () => attempt(() => syncFolder(path)),
    destroy: (name) =>
      attempt(async () => {
        const temporary = temporaryName();
        // The name is removed first, so that a reader finds no file rather than a half overwritten file.
        const isOurs = (await unlessMissing(rename(at(name), at(temporary)))) !== null;
        if (isOurs) await unlessMissing(erase(temporary));
        return isOurs;
      }),
    removeLeftovers: () =>
      attempt(async () => {
        const nowMs = clock.now().getTime();
        for (const name of await readdir(path)) {
          const timestamp = TEMPORARY_NAME.exec(name)?.[1];
          if (timestamp === undefined) continue;
          // A name from the future is a leftover too: it was written before the clock was set back.
          const ageMs = Math.abs(nowMs - parseTimestampMs(timestamp));
          if (ageMs > LEFTOVER_AFTER_MS) await unlessMissing(erase(name));
        }
      }),
  };

  await attempt(async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await refuseWorldWritable(path);
    await rm(at(await writeTemporary("")));
  });
  await folder.removeLeftovers();
  return folder;
}

/** Anyone who can add a file to the folder could publish their own public key, and values would be sealed to it. */
async function refuseWorldWritable(path: string): Promise<void> {
  if (process.platform === "win32") return;
  if (((await stat(path)).mode & 0o002) === 0) return;
  throw new SealingError(
    "KEY_FOLDER_UNUSABLE",
    `Any user of this machine may write to the sealing key folder ${path}. Run chmod 700 on it, or let ` +
      `SLIPWAY_SEALING_KEYS name a folder inside it that does not exist yet: Slipway will create it.`,
  );
}

async function withFile(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

/** Another process may remove any file at any moment; null means that it was missing. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function unusable(path: string, code: string, cause: unknown): SealingError {
  return new SealingError(
    "KEY_FOLDER_UNUSABLE",
    `The sealing key folder ${path} cannot be used: ${reason(code)} ` +
      "SLIPWAY_SEALING_KEYS says which folder it is.",
    { cause },
  );
}

function reason(code: string): string {
  switch (code) {
    case "EEXIST":
    case "ENOTDIR":
      return "a part of its path is a file. Use a folder.";
    case "ENOENT":
      return "it no longer exists. Mount or restore it, and start Slipway again.";
    case "EACCES":
    case "EPERM":
      return "this process cannot read and write there. Make its user the owner of the folder.";
    case "EROFS":
      return "it is mounted read-only. Mount it writable.";
    case "ENOSPC":
    case "EDQUOT":
      return "its disk is full. Free some space.";
    case "ENOTSUP":
    case "EMLINK":
      return "its file system does not support hard links. Use another file system.";
    default:
      return `the file system answered ${code}.`;
  }
}
