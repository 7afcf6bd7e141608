import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { findOwner, noteOwner } from "../../db/owners.ts";
import type { Branding, LogoType } from "./brand.ts";

type Row = Pick<Branding, "name" | "accentColor"> & {
  readonly type: LogoType | null;
  readonly hash: string | null;
  readonly width: number | null;
  readonly height: number | null;
};

const FIND = readStatement<Row>(
  "brandings_find",
  `SELECT name, accent_color AS "accentColor", logo_type AS type, logo_hash AS hash, logo_width AS width,
          logo_height AS height
     FROM brandings WHERE organization_id = $1`,
);
const FIND_LOGO = readStatement<{ readonly type: LogoType; readonly bytes: Uint8Array }>(
  "brandings_find_logo",
  `SELECT logo_type AS type, logo AS bytes FROM brandings WHERE organization_id = $1 AND logo_hash = $2`,
);
const SAVE = writeStatement(
  "brandings_save",
  `INSERT INTO brandings (organization_id, name, accent_color) VALUES ($1, $2, $3)
   ON CONFLICT (organization_id) DO UPDATE SET name = $2, accent_color = $3`,
);
const SAVE_LOGO = writeStatement(
  "brandings_save_logo",
  `UPDATE brandings SET logo = $2, logo_type = $3, logo_hash = $4, logo_width = $5, logo_height = $6
    WHERE organization_id = $1`,
);

export const brandings = {
  find: async (sql: Sql, organizationId: string): Promise<Branding | null> => {
    const [row] = await sql.query(FIND, [organizationId]);
    if (row === undefined) return null;
    const { name, accentColor, type, hash, width, height } = row;
    const hasLogo = type !== null && hash !== null && width !== null && height !== null;
    return { name, accentColor, logo: hasLogo ? { type, hash, width, height } : null };
  },
  /** Finds the organization by the hash. Null if no organization has this logo now. */
  findLogo: async (sql: Sql, hash: string) => {
    const organizationId = await findOwner(sql, "logo", hash);
    return organizationId === null ? null : ((await sql.query(FIND_LOGO, [organizationId, hash]))[0] ?? null);
  },
  /** Saves all but the logo, which stays as it is. */
  save: async (tx: Transaction, organizationId: string, { name, accentColor }: Branding) =>
    void (await tx.query(SAVE, [organizationId, name, accentColor])),
  /** Only of an organization whose branding was saved. @param bytes null if there is no logo */
  saveLogo: async (tx: Transaction, organizationId: string, { logo }: Branding, bytes: Uint8Array | null) => {
    if (logo !== null) noteOwner(tx, organizationId, "logo", logo.hash);
    const { type = null, hash = null, width = null, height = null } = logo ?? {};
    await tx.query(SAVE_LOGO, [organizationId, bytes, type, hash, width, height]);
  },
};
