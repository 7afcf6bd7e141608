/**
 * Backups are signed with a key that is derived from the newest at-rest key, so that an altered backup is not restored.
 * They name their keys by a mark, so that a wrong key folder is noticed at once. Neither reveals anything about the
 * keys.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { AtRestKey } from "./keys/at-rest-keys.ts";

const MARK_CHARS = 16;

/** Names a key without revealing anything about it. */
export function markOf({ backupKey }: Pick<AtRestKey, "backupKey">): string {
  return createHmac("sha256", backupKey).update("slipway key mark 1").digest("hex").slice(0, MARK_CHARS);
}

/** @param checksum of the whole backup, as text */
export function signBackup(key: AtRestKey, checksum: string): string {
  return createHmac("sha256", key.backupKey).update(`slipway backup 1\n${checksum}`).digest("hex");
}

export function isBackupSignature(key: AtRestKey, checksum: string, signature: string): boolean {
  const [expected, given] = [Buffer.from(signBackup(key, checksum)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
