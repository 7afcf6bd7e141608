import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";

/** Of a template. */
export type AccessRow = {
  readonly sealedKey: Uint8Array;
  readonly bypassHash: string | null;
  /** The access (`accessKeyOf`) for which its distributions were last enqueued; null before that. */
  readonly announced: string | null;
};

const FIND = readStatement<AccessRow>(
  "preview_access_find",
  `SELECT sealed_key AS "sealedKey", bypass_hash AS "bypassHash", announced
     FROM preview_access WHERE organization_id = $1 AND id = $2`,
);
const INSERT = writeStatement(
  "preview_access_insert",
  `INSERT INTO preview_access (organization_id, id, sealed_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
);
const SET_BYPASS = writeStatement(
  "preview_access_set_bypass",
  `UPDATE preview_access SET bypass_hash = $3, bypass_set_at = now() WHERE organization_id = $1 AND id = $2`,
);
const ANNOUNCE = writeStatement(
  "preview_access_announce",
  `UPDATE preview_access SET announced = $3 WHERE organization_id = $1 AND id = $2`,
);
/** A host name of a distribution, a domain on it, or a preview's name below its template's domain. */
const FIND_TEMPLATE_OF_HOST = readStatement<{ templateId: string }>(
  "preview_access_find_template_of_host",
  `SELECT e.template_id AS "templateId"
     FROM services s
     JOIN environments e ON e.organization_id = $1 AND e.id = s.environment_id
     LEFT JOIN distributions d ON d.organization_id = $1 AND d.service_id = s.id AND d.is_wanted
    WHERE s.organization_id = $1 AND e.template_id IS NOT NULL
      AND ${visibleProject("s.project_id", "$3", "$4")}
      AND (s.preview_host = $2 OR d.domain_name = $2 OR d.id IN (
            SELECT g.distribution_id FROM domain_certificate_groups g
              JOIN domains m ON m.organization_id = $1 AND m.group_id = g.id
             WHERE g.organization_id = $1 AND m.name IN ($2, $5)))
    LIMIT 1`,
);

export const previewAccess = {
  find: async (sql: Sql, organizationId: string, templateId: string) =>
    (await sql.query(FIND, [organizationId, templateId]))[0] ?? null,
  /** Keeps a key that is there. */
  insert: async (sql: Sql, organizationId: string, templateId: string, sealedKey: Uint8Array) =>
    void (await sql.query(INSERT, [organizationId, templateId, sealedKey])),
  setBypass: async (tx: Transaction, organizationId: string, templateId: string, hash: string) =>
    void (await tx.query(SET_BYPASS, [organizationId, templateId, hash])),
  announce: async (tx: Transaction, organizationId: string, templateId: string, announced: string) =>
    void (await tx.query(ANNOUNCE, [organizationId, templateId, announced])),
  /** The template of the preview that has a host name, in a project that the caller sees. @param host in lower case */
  findTemplateOfHost: async (sql: Sql, organizationId: string, host: string, visible: Visible) => {
    const values = [organizationId, host, ...visibleValues(visible), host.replace(/^[^.]+/, "*")];
    return (await sql.query(FIND_TEMPLATE_OF_HOST, values))[0]?.templateId ?? null;
  },
};
