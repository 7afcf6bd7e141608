/** Remembers which backup was last found whole. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Database } from "../db/database.ts";
import { type Facts, recordFact } from "../db/facts.ts";
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

function fileOf({ dataDir }: Pick<Config, "dataDir">): string {
  return path.join(dataDir, "verified-backup.json");
}
