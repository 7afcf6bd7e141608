/**
 * The installation's long-lived keys, from which all keys but the epochs' are derived. The newest seals; the ones
 * before it open what they sealed until nothing needs them any more:
 *
 *     made by `keys rotate` ── seals and opens ── a newer one is made ──▶ opens only ── all is sealed anew,
 *     and a day has passed ──▶ destroyed
 *
 * They rest as files, the first as `at-rest.key`, which seals as releases did that knew of one key alone. Processes
 * do not coordinate: each looks at the folder every few seconds, and at once where a value names a key that it does
 * not know. A value names its key, so it matters to nobody who sealed it, and when.
 *
 * Unlike epoch keys they need a copy somewhere safe: without them git tokens have to be entered again.
 */
import { hkdfSync, randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { KEY_BYTES } from "./key-bytes.ts";
import type { KeyFiles } from "./key-file.ts";
import { SealingError } from "../sealing-error.ts";
import { TIMESTAMP_PATTERN, formatTimestamp, parseTimestampMs } from "./timestamp.ts";

const FIRST = "at-rest.key";
const LATER = new RegExp(`^at-rest-(${TIMESTAMP_PATTERN})-([0-9a-f]{16})\\.key$`);
/** How old a process's knowledge of the folder may be when it seals. */
const LOOK_EVERY_MS = 2_000;

export type AtRestKeyFile = {
  readonly file: string;
  /** What values name it by, 16 hex digits; null of the first, which they do not name. */
  readonly id: string | null;
  /** Null of the first: it is older than all others. */
  readonly createdAt: Date | null;
};

export type AtRestKey = AtRestKeyFile & {
  /** For values. */
  readonly valueKey: Uint8Array;
  /** For fingerprints. */
  readonly fingerprintKey: Uint8Array;
};

/** All methods that look at the folder throw SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`. */
export type AtRestKeys = {
  /** What is sealed with now. */
  current(): Promise<AtRestKey>;
  /** By what a value names; null when there is no such key any more. */
  find(id: string | null): Promise<AtRestKey | null>;
  /** All that this process has in memory, oldest first. */
  known(): readonly AtRestKey[];
  /** All that the folder has now, oldest first. */
  list(): Promise<readonly AtRestKey[]>;
  /** Destroys one that nothing needs. */
  destroy(key: AtRestKey): Promise<void>;
};

/**
 * Reads the keys, or makes the first: of several processes that start at once one makes it and all use it.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`
 */
export async function openAtRestKeys(files: KeyFiles): Promise<AtRestKeys> {
  const { folder } = files;
  let keys = new Map<string, AtRestKey>();
  let lookedAtMs = 0;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    const next = new Map<string, AtRestKey>();
    for (const found of atRestKeysIn(await folder.list())) {
      const key = keys.get(found.file) ?? (await load(files, found));
      if (key !== null) next.set(found.file, key);
    }
    // Whoever empties the folder does not take the keys out of running processes.
    if (next.size > 0) keys = next;
  }
  const lookNow = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = null;
      // A folder that is away is not asked at each use.
      lookedAtMs = performance.now();
    });
    return looking;
  };
  const newest = (): AtRestKey => {
    const key = [...keys.values()].at(-1);
    if (key === undefined) throw new Error("There is no at-rest key.");
    return key;
  };
  const byId = (id: string | null): AtRestKey | null =>
    [...keys.values()].find((key) => key.id === id) ?? null;

  await look();
  if (keys.size === 0) {
    const key = randomBytes(KEY_BYTES);
    await files.publishOnce(FIRST, "at-rest key", key);
    key.fill(0);
    await folder.sync();
    // Read back, for the file may be another process's.
    await look();
    if (keys.size === 0) {
      throw new SealingError(
        "KEY_FOLDER_UNUSABLE",
        `The file ${folder.path}/${FIRST} vanished while Slipway started. Let nothing else write to this folder.`,
      );
    }
  }
  return {
    async current() {
      if (performance.now() - lookedAtMs > LOOK_EVERY_MS) await lookNow();
      return newest();
    },
    async find(id) {
      const known = byId(id);
      if (known !== null) return known;
      await lookNow();
      return byId(id);
    },
    known() {
      // Whoever only reads finds out about a rotation too.
      if (performance.now() - lookedAtMs > LOOK_EVERY_MS) lookNow().catch(() => undefined);
      return [...keys.values()];
    },
    async list() {
      await lookNow();
      return [...keys.values()];
    },
    async destroy({ file }) {
      await folder.destroy(file);
      await folder.sync();
      await lookNow();
    },
  };
}

/**
 * Makes a key that every process seals with from now on. Its file is there whole or not at all.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`
 */
export async function rotateAtRestKey(files: KeyFiles, clock: Clock): Promise<AtRestKeyFile> {
  const newest = atRestKeysIn(await files.folder.list()).at(-1);
  // The name orders them, and this machine's clock may be behind the one that made the last.
  const atMs = Math.max(clock.now().getTime(), (newest?.createdAt?.getTime() ?? 0) + 1);
  const id = randomBytes(8).toString("hex");
  const file = `at-rest-${formatTimestamp(new Date(atMs))}-${id}.key`;
  const key = randomBytes(KEY_BYTES);
  await files.publish(file, "at-rest key", key);
  key.fill(0);
  await files.folder.sync();
  return { file, id, createdAt: new Date(atMs) };
}

/** The at-rest keys among the names of files, oldest first. */
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
  // Destroyed since it was listed.
  if (key === null) return null;
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", key, "", `slipway ${purpose} 1`, KEY_BYTES));
  const derived = {
    ...found,
    valueKey: derive(AT_REST_PURPOSE),
    fingerprintKey: derive("fingerprint"),
  };
  key.fill(0);
  return derived;
}

/** Also what every value sealed at rest is sealed for. */
export const AT_REST_PURPOSE = "at-rest value";
