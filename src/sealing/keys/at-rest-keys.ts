/**
 * The installation's long-lived keys. All keys but the epoch keys are derived from them. The newest seals; the others
 * open what they sealed, until nothing needs them any more:
 *
 *     made by `keys rotate` ── seals and opens ── a newer one is made ──▶ opens only ── all is sealed anew,
 *     and a day has passed ──▶ destroyed
 *
 * They are files. The first is `at-rest.key`, and seals in the format of releases that knew only one key. Processes do
 * not coordinate: each reads the folder every few seconds, and at once when a value names a key that it does not know.
 * As each value names its key, it does not matter which process sealed it, or when.
 *
 * Unlike epoch keys they need a safe copy: without them, git tokens have to be entered again.
 */
import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { KEY_BYTES } from "../aead.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KeyFiles } from "./key-file.ts";
import { SealingError } from "../sealing-error.ts";
import { TIMESTAMP_PATTERN, formatTimestamp, parseTimestampMs } from "./timestamp.ts";

const FIRST = "at-rest.key";
const LATER = new RegExp(`^at-rest-(${TIMESTAMP_PATTERN})-([0-9a-f]{16})\\.key$`);
/** How old a process's knowledge of the folder may be when it seals. */
const READ_EVERY_MS = 2_000;

export type AtRestKeyFile = {
  readonly file: string;
  /** The key's id in values, 16 hex digits; null for the first key, which values do not name. */
  readonly id: string | null;
  /** Null for the first key: it is older than all others. */
  readonly createdAt: Date | null;
};

export type AtRestKey = AtRestKeyFile & {
  readonly valueKey: Uint8Array;
  /** The derived key for fingerprints. An object, as bytes are made one again for each: most of what one costs. */
  readonly fingerprintKey: KeyObject;
  /** The derived key that signs backups (`sign-backup.ts`). */
  readonly backupKey: Uint8Array;
};

/** All methods that read the folder throw SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`. */
export type AtRestKeys = {
  /** The key that seals now. */
  current(): Promise<AtRestKey>;
  /** The key that a value names; null when it no longer exists. */
  find(id: string | null): Promise<AtRestKey | null>;
  /** All keys in this process's memory, oldest first. */
  known(): readonly AtRestKey[];
  /** All keys in the folder now, oldest first. */
  list(): Promise<readonly AtRestKey[]>;
  /** Destroys a key that nothing needs. */
  destroy(key: AtRestKey): Promise<void>;
};

/**
 * Reads the keys, or makes the first. When several processes start at once, one makes it and all use it.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`
 */
export async function openAtRestKeys(files: KeyFiles): Promise<AtRestKeys> {
  const { folder } = files;
  let keys = new Map<string, AtRestKey>();
  let readAtMs = 0;
  let reading: Promise<void> | null = null;

  async function readFolder(): Promise<void> {
    const next = new Map<string, AtRestKey>();
    for (const found of atRestKeysIn(await folder.list())) {
      const key = keys.get(found.file) ?? (await load(files, found));
      if (key !== null) next.set(found.file, key);
    }
    // Emptying the folder does not take the keys out of running processes.
    if (next.size > 0) keys = next;
  }
  const readNow = (): Promise<void> => {
    reading ??= readFolder().finally(() => {
      reading = null;
      // An unavailable folder is not read again at each use.
      readAtMs = performance.now();
    });
    return reading;
  };
  const newest = (): AtRestKey => {
    const key = [...keys.values()].at(-1);
    if (key === undefined) throw new Error("There is no at-rest key.");
    return key;
  };
  const byId = (id: string | null): AtRestKey | null =>
    [...keys.values()].find((key) => key.id === id) ?? null;

  await readFolder();
  if (keys.size === 0) {
    const key = randomBytes(KEY_BYTES);
    await files.publishOnce(FIRST, "at-rest key", key);
    key.fill(0);
    await folder.sync();
    // Read it back, because the file may be another process's.
    await readFolder();
    if (keys.size === 0) {
      throw new SealingError(
        "KEY_FOLDER_UNUSABLE",
        `The file ${folder.path}/${FIRST} vanished while Slipway started. Let nothing else write to this folder.`,
      );
    }
  }
  return {
    async current() {
      if (performance.now() - readAtMs > READ_EVERY_MS) await readNow();
      return newest();
    },
    async find(id) {
      const known = byId(id);
      if (known !== null) return known;
      await readNow();
      return byId(id);
    },
    known() {
      // A process that only opens values must notice a rotation, too.
      if (performance.now() - readAtMs > READ_EVERY_MS) readNow().catch(() => undefined);
      return [...keys.values()];
    },
    async list() {
      await readNow();
      return [...keys.values()];
    },
    async destroy({ file }) {
      await folder.destroy(file);
      await folder.sync();
      await readNow();
    },
  };
}

/**
 * Makes a key; every process seals with it from then on. Its file appears complete or not at all.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`
 */
export async function rotateAtRestKey(files: KeyFiles, clock: Clock): Promise<AtRestKeyFile> {
  const newest = atRestKeysIn(await files.folder.list()).at(-1);
  // Names order the keys, and this machine's clock may be behind the clock that named the last key.
  const atMs = Math.max(clock.now().getTime(), (newest?.createdAt?.getTime() ?? 0) + 1);
  const id = randomBytes(8).toString("hex");
  const file = `at-rest-${formatTimestamp(new Date(atMs))}-${id}.key`;
  const key = randomBytes(KEY_BYTES);
  await files.publish(file, "at-rest key", key);
  key.fill(0);
  await files.folder.sync();
  return { file, id, createdAt: new Date(atMs) };
}

/** The at-rest keys among these file names, oldest first. */
export function atRestKeysIn(names: readonly string[]): readonly AtRestKeyFile[] {
  const found = names.flatMap((file): AtRestKeyFile[] => {
    if (file === FIRST) return [{ file, id: null, createdAt: null }];
    const [, timestamp, id] = LATER.exec(file) ?? [];
    if (timestamp === undefined || id === undefined) return [];
    return [{ file, id, createdAt: new Date(parseTimestampMs(timestamp)) }];
  });
  const order = ({ createdAt, file }: AtRestKeyFile): string => (createdAt === null ? "" : file);
  return found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

async function load(files: KeyFiles, found: AtRestKeyFile): Promise<AtRestKey | null> {
  const key = await files.read(found.file, "at-rest key");
  // It was destroyed after the folder was listed.
  if (key === null) return null;
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", key, "", `slipway ${purpose} 1`, KEY_BYTES));
  const derived = {
    ...found,
    valueKey: derive(AT_REST_PURPOSE),
    fingerprintKey: createSecretKey(derive("fingerprint")),
    backupKey: derive("backup"),
  };
  key.fill(0);
  return derived;
}

/** Every value sealed at rest is bound to it, too. */
export const AT_REST_PURPOSE = "at-rest value";
