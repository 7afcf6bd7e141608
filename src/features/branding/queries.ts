import type { Database, Sql } from "../../db/database.ts";
import { type Branding, type LogoType, NO_BRANDING } from "./brand.ts";
import { brandings } from "./store.ts";

/** What an organization has set. */
export async function findBranding(sql: Sql, organizationId: string): Promise<Branding> {
  return (await brandings.find(sql, organizationId)) ?? NO_BRANDING;
}

/** A logo by its hash, for visitors; null if no organization has it now. */
export async function findLogo(
  db: Database,
  hash: string,
): Promise<{ readonly type: LogoType; readonly bytes: Uint8Array } | null> {
  return await db.acrossOrganizations(() => brandings.findLogo(db, hash));
}
