/**
 * Epoch keys: HPKE key pairs that live a little longer than the longest run, so that no backup, replica or
 * write-ahead log of the database can be read once its keys are destroyed.
 *
 *     created ──── current, for 1 h ────▶ opens only ──── 25 h after creation ────▶ destroyed
 *
 * A pair is two files, `<epochId>.key` (private) and `<epochId>.pub`. Sealing reads public files only; a
 * private one is read for each run that is opened, and not kept, so that destroying the file destroys the
 * key. Processes do not coordinate: at the turn of an hour several may each make a pair, and all are good.
 */
import { randomBytes, type webcrypto } from "node:crypto";
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import type { Clock } from "../../lib/clock.ts";
import type { KeyFiles } from "./key-file.ts";
import { TIMESTAMP_PATTERN, formatTimestamp, parseTimestampMs } from "./timestamp.ts";

const HOUR_MS = 3_600_000;
const EPOCH_FILE = new RegExp(`^((${TIMESTAMP_PATTERN})-[0-9a-f]{16})\\.(?:key|pub)$`);

type Epoch = { readonly epochId: string; readonly createdAtMs: number };
type PublicEpoch = Epoch & { readonly publicKey: webcrypto.CryptoKey };

export type SealingKeys = {
  /**
   * The public key to seal with now. Makes a pair when there is none or the newest is too old.
   * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`
   */
  current(): Promise<{ readonly epochId: string; readonly publicKey: webcrypto.CryptoKey }>;
  /**
   * The private key of an epoch; null when it was destroyed. Do not keep it.
   * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`
   */
  open(epochId: string): Promise<webcrypto.CryptoKey | null>;
  /**
   * Destroys expired keys and the leftovers of crashed writers; returns the epochs that this call destroyed. Some
   * process must call it about every `rotateEveryMs`.
   * @throws SealingError `KEY_FOLDER_UNUSABLE`
   */
  destroyExpired(): Promise<readonly string[]>;
};

export type SealingKeysOptions = {
  readonly files: KeyFiles;
  readonly clock: Clock;
  /** How long a pair is used for sealing. */
  readonly rotateEveryMs?: number;
  /** The age at which a pair is destroyed: at least the sum of `rotateEveryMs` and the longest life of a run (24 h). */
  readonly destroyAfterMs?: number;
};

/** @throws RangeError when keys would be destroyed while they are used for sealing. */
export function createSealingKeys(options: SealingKeysOptions): SealingKeys {
  const { files, clock, rotateEveryMs = HOUR_MS, destroyAfterMs = 25 * HOUR_MS } = options;
  const { folder } = files;
  if (!(rotateEveryMs > 0 && destroyAfterMs > rotateEveryMs)) {
    throw new RangeError("destroyAfterMs must be longer than rotateEveryMs, and both positive.");
  }
  const { kem } = hpkeSuite();
  let latest: PublicEpoch | null = null;
  let finding: Promise<PublicEpoch> | null = null;

  /**
   * A key from the future is not current: it was made before the clock was set back, and would otherwise be used for as
   * long as the clock was wrong. Small differences between machines are normal.
   */
  function isCurrent(epoch: Epoch): boolean {
    return Math.abs(clock.now().getTime() - epoch.createdAtMs) < rotateEveryMs;
  }

  async function findOrCreate(): Promise<PublicEpoch> {
    const names = new Set(await folder.list());
    // A public key needs its private file: the pair may be in the middle of its destruction.
    const newest = epochsIn(names).findLast(
      (epoch) => isCurrent(epoch) && names.has(publicFile(epoch)) && names.has(privateFile(epoch)),
    );
    if (newest === undefined) return create();
    const bytes = await files.read(publicFile(newest), "epoch public key");
    return bytes === null ? create() : { ...newest, publicKey: await kem.deserializePublicKey(bytes) };
  }

  async function create(): Promise<PublicEpoch> {
    const createdAt = clock.now();
    const epoch: Epoch = {
      epochId: `${formatTimestamp(createdAt)}-${randomBytes(8).toString("hex")}`,
      createdAtMs: createdAt.getTime(),
    };
    const pair = await kem.generateKeyPair();
    const publicBytes = new Uint8Array(await kem.serializePublicKey(pair.publicKey));
    const privateBytes = new Uint8Array(await kem.serializePrivateKey(pair.privateKey));
    // The private file first: no process may seal to a key that cannot be opened.
    await files.publish(privateFile(epoch), "epoch private key", privateBytes);
    await files.publish(publicFile(epoch), "epoch public key", publicBytes);
    await folder.sync();
    privateBytes.fill(0);
    return { ...epoch, publicKey: pair.publicKey };
  }

  return {
    async current() {
      // Look for the file each time: after an operator emptied the folder, this process must not seal values that no
      // process can open.
      if (latest !== null && isCurrent(latest) && (await folder.has(privateFile(latest)))) return latest;
      // Simultaneous requests share one pair.
      finding ??= findOrCreate().finally(() => {
        finding = null;
      });
      latest = await finding;
      return latest;
    },

    async open(epochId) {
      // The text comes from the database and becomes part of a path, so it must be an epoch id.
      if (!EPOCH_FILE.test(`${epochId}.key`)) return null;
      const bytes = await files.read(`${epochId}.key`, "epoch private key");
      if (bytes === null) return null;
      try {
        return await kem.deserializePrivateKey(bytes);
      } finally {
        bytes.fill(0);
      }
    },

    async destroyExpired() {
      const names = await folder.list();
      const nowMs = clock.now().getTime();
      const destroyed: string[] = [];
      for (const epoch of epochsIn(names)) {
        if (nowMs - epoch.createdAtMs < destroyAfterMs) continue;
        await folder.destroy(publicFile(epoch));
        if (await folder.destroy(privateFile(epoch))) destroyed.push(epoch.epochId);
      }
      await folder.removeLeftovers();
      await folder.sync();
      // Wraps the keys of a process that was started before wrapping was configured.
      await files.wrapAll();
      return destroyed;
    },
  };
}

/** Every epoch with a file, oldest first. */
function epochsIn(names: Iterable<string>): Epoch[] {
  const epochs = new Map<string, Epoch>();
  for (const name of names) {
    const [, epochId, timestamp] = EPOCH_FILE.exec(name) ?? [];
    if (epochId === undefined || timestamp === undefined) continue;
    epochs.set(epochId, { epochId, createdAtMs: parseTimestampMs(timestamp) });
  }
  return [...epochs.values()].sort((a, b) => (a.epochId < b.epochId ? -1 : 1));
}

const privateFile = (epoch: Epoch): string => `${epoch.epochId}.key`;
const publicFile = (epoch: Epoch): string => `${epoch.epochId}.pub`;

/** HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, on Node's WebCrypto. */
export function hpkeSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
}
