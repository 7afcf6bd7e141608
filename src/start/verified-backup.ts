/** Remembers which backup was last found whole, for `slipway doctor` and the health of the installation. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Database } from "../db/database.ts";
import { type Facts, findFact, recordFact } from "../db/facts.ts";
import { isFileError } from "../lib/operator-error.ts";
import type { Config } from "./config/config.ts";

type Verified = Facts["backup-verified"];

/**
 * In the data folder if the database is embedded: a running service has that locked.
 * @param db null if the database is embedded
 */
export async function recordVerifiedBackup(
  config: Pick<Config, "dataDir">,
  db: Database | null,
  verified: Verified,
): Promise<void> {
  if (db !== null) return await recordFact(db, "backup-verified", verified);
  const record = { ...verified, verifiedAt: new Date().toISOString() };
  await writeFile(fileOf(config), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** @param db null if the database is embedded */
export async function findVerifiedBackup(
  config: Pick<Config, "dataDir">,
  db: Database | null,
): Promise<(Verified & { readonly verifiedAt: string }) | null> {
  if (db !== null) {
    const found = await findFact(db, "backup-verified");
    return found === null ? null : { ...found.fact, verifiedAt: found.recordedAt.toISOString() };
  }
  try {
    return JSON.parse(await readFile(fileOf(config), "utf8")) as Verified & { verifiedAt: string };
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

function fileOf({ dataDir }: Pick<Config, "dataDir">): string {
  return path.join(dataDir, "verified-backup.json");
}
