import { getAwsAccount } from "../cloud-accounts/queries.ts";
import type { Clock } from "../../lib/clock.ts";
import { pollRestMs } from "../../cloud/calls/poll-rest.ts";
import type { Database, Sql } from "../../db/database.ts";
import { hasReleasedDistributions } from "../distributions/commands.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { hasProjectValues } from "../variables/queries.ts";
import type { Project } from "../projects/project.ts";
import { deleteProjectRow } from "../projects/commands.ts";
import { findProject } from "../projects/queries.ts";
import { isProjectOnPlatform } from "../releases/queries.ts";

/** An account that works again makes what waits for it due; until then nothing of the project can be removed. */
const NOT_CONNECTED_MS = 5 * 60_000;

/** Ends the deletion of a project: what it has in the cloud is removed by the work of each kind, and it goes last. */
export function reconcileProjectRemoval(deps: { readonly db: Database; readonly clock: Clock }): Reconcile {
  const { db, clock } = deps;
  return async ({ organizationId, id }) => {
    const project = await findProject(db, organizationId, id);
    if (project === null || project.deletionRequestedAt === null) return "done";
    if (await hasAnythingLeft(db, project)) {
      const { status } = await getAwsAccount(db, organizationId, project.awsAccountId);
      const rest = pollRestMs(project.deletionRequestedAt, clock.now());
      return { runAfterMs: status === "CONNECTED" ? rest : NOT_CONNECTED_MS };
    }
    await db.transaction((tx) => deleteProjectRow(tx, slipwayOf(organizationId), id, false));
    return "done";
  };
}

async function hasAnythingLeft(sql: Sql, { organizationId, id }: Project): Promise<boolean> {
  return (
    (await hasReleasedDistributions(sql, organizationId, id)) ||
    (await hasProjectValues(sql, organizationId, id)) ||
    (await isProjectOnPlatform(sql, organizationId, id))
  );
}
