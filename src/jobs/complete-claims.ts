/** Ends claims with the results of their last steps, many in one statement. A result under an older claim has no effect. */
import { type Database, writeStatement } from "../db/database.ts";
import { createBatches } from "../lib/pace/batch.ts";
import { type Claim, forEachOrganization, keysOf, SKIP_HELD } from "./claims.ts";
import type { Rank } from "./jobs.ts";

type End = {
  readonly claim: Claim;
  /** How many enqueues the steps have seen. */
  readonly pokes: number;
  /** Until the next step is due; null if there is none. */
  readonly restSeconds: number | null;
  readonly rank: Rank;
};

/** @returns what ends a claim: it resolves when the end is written */
export function createClaimEnds(db: Database): (end: End) => Promise<void> {
  const endTogether = createBatches((ends: readonly End[]) =>
    db.acrossOrganizations(() => endFree(db, ends)),
  );
  return async (end) => {
    if (await endTogether(end)) return;
    // Its row was held, or enqueued just now, or the claim is lost. The others of the batch do not wait for it. Neither half
    // of the statement sees an enqueue that commits while it waits for the row; the second try does.
    const values = valuesOf(end.claim.organizationId, [end]);
    const written = await db.query(END, values);
    if (written.length === 0) await db.query(END, values);
  };
}

/** @returns whether each was written */
async function endFree(db: Database, ends: readonly End[]): Promise<boolean[]> {
  const given = ends.map((end) => ({ ...end, organizationId: end.claim.organizationId }));
  const written = await forEachOrganization(given, (organizationId, of) =>
    db.query(END_FREE, valuesOf(organizationId, of)),
  );
  return ends.map(({ claim }) => written.some(({ kind, id }) => kind === claim.kind && id === claim.id));
}

function valuesOf(organizationId: string, ends: readonly End[]) {
  return [
    ...keysOf(
      organizationId,
      ends.map(({ claim }) => claim),
    ),
    ends.map(({ pokes }) => pokes),
    ends.map(({ restSeconds }) => restSeconds),
    ends.map(({ rank }) => rank),
  ];
}

const IS_OURS = `r.organization_id = $1 AND r.kind = e.kind AND r.entity_id = e.entity_id AND r.claim = e.claim
        AND r.state = 'claimed'`;

const GIVEN = `unnest($2::text[], $3::text[], $4::int[], $5::int[], $6::float8[], $7::int[])
       AS e(kind, entity_id, claim, pokes, rest_seconds, rank)`;

const ENDS = `SELECT e.*, now() AS at, now() + e.rest_seconds * interval '1 second' AS due_at
       FROM ${GIVEN} JOIN reconciliations r ON ${IS_OURS}`;

/** Removes what is done, and writes when the rest is due: at once if it was enqueued since it was claimed. */
const WRITE_ENDS = `finished AS (
     DELETE FROM reconciliations r USING ends e
      WHERE ${IS_OURS} AND r.pokes = e.pokes AND e.rest_seconds IS NULL RETURNING r.kind, r.entity_id
   ), put_off AS (
     UPDATE reconciliations r
        SET state = CASE WHEN r.pokes = e.pokes AND e.rest_seconds > 0 THEN 'waiting' ELSE 'ready' END,
            due_at = CASE WHEN r.pokes = e.pokes THEN e.due_at ELSE e.at END,
            rank = CASE WHEN r.pokes = e.pokes THEN e.rank ELSE r.rank END, attempts = 0
       FROM ends e
      WHERE ${IS_OURS} AND (r.pokes <> e.pokes OR e.rest_seconds IS NOT NULL) RETURNING r.kind, r.entity_id
   )
   SELECT kind, entity_id AS id FROM finished UNION ALL SELECT kind, entity_id FROM put_off`;

const END = writeStatement<{ kind: string; id: string }>(
  "reconciliations_end",
  `WITH ends AS MATERIALIZED (${ENDS}), ${WRITE_ENDS}`,
);
const END_FREE = writeStatement<{ kind: string; id: string }>(
  "reconciliations_end_free",
  `WITH ends AS MATERIALIZED (${ENDS} ${SKIP_HELD}), ${WRITE_ENDS}`,
);
