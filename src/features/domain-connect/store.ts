import { type Transaction, writeStatement } from "../../db/database.ts";
import { createPrune } from "../../db/prune.ts";

/** A new way ends the one before, which another tab may have begun. */
const PUT = writeStatement<{ expiresAt: Date }>(
  "domain_connects_put",
  `INSERT INTO domain_connects (organization_id, domain_id, started_by, state_hash, provider_name, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 second')
   ON CONFLICT (organization_id, domain_id, started_by) DO UPDATE
      SET state_hash = excluded.state_hash, provider_name = excluded.provider_name, expires_at = excluded.expires_at
   RETURNING expires_at AS "expiresAt"`,
);

const TAKE = writeStatement<{ providerName: string }>(
  "domain_connects_take",
  `DELETE FROM domain_connects
    WHERE organization_id = $1 AND domain_id = $2 AND started_by = $3 AND state_hash = $4 AND expires_at > now()
   RETURNING provider_name AS "providerName"`,
);

type Way = {
  readonly organizationId: string;
  readonly domainId: string;
  readonly startedBy: string;
  readonly stateHash: Uint8Array;
};

export const domainConnects = {
  /** @returns when it ends */
  put: async (
    tx: Transaction,
    way: Way & { readonly providerName: string; readonly seconds: number },
  ): Promise<Date> => {
    const { organizationId, domainId, startedBy, stateHash, providerName, seconds } = way;
    const [row] = await tx.query(PUT, [
      organizationId,
      domainId,
      startedBy,
      stateHash,
      providerName,
      seconds,
    ]);
    if (row === undefined) throw new Error("A way was not written.");
    return row.expiresAt;
  },
  /** Ends it; null if it does not exist, or no longer. */
  take: async (tx: Transaction, { organizationId, domainId, startedBy, stateHash }: Way) =>
    (await tx.query(TAKE, [organizationId, domainId, startedBy, stateHash]))[0] ?? null,
  prune: createPrune(
    "domain_connects_prune",
    "domain_connects",
    "organization_id, domain_id, started_by",
    "expires_at < now()",
  ),
};
