import type { Transaction } from "../../../db/database.ts";
import type { Needs } from "../../../lib/access.ts";
import type { ConfiguredEnvironment } from "../../configuration/configuration.ts";
import { DEPLOY, mayChange } from "../../project-access/may-change.ts";
import { type Environment, isProtected } from "../../projects/project.ts";
import { approvals } from "../approval-store.ts";
import type { Approval, Deployment } from "../deployment.ts";
import { type Begin, decideBegin } from "./decide-begin.ts";

/**
 * Asks who may deploy to an environment, now: its protection, and the roles of who started the deployment and who
 * approved it, may have changed since. @param environment as it is while its project is locked
 */
export async function checkBegin(
  tx: Transaction,
  { organizationId, id, projectId, startedBy, trigger }: Deployment,
  environment: Environment,
  configured: ConfiguredEnvironment | null,
): Promise<Begin> {
  if (!isProtected(environment)) return "free";
  const place = { projectId, environmentId: environment.id };
  const given = (await approvals.list(tx, organizationId, id)).find(
    ({ environmentId, status }) => environmentId === environment.id && status === "APPROVED",
  );
  return decideBegin({
    environment,
    trigger,
    configured,
    starterMay: await mayChange(tx, organizationId, startedBy, DEPLOY, place),
    approverMay:
      given === undefined
        ? null
        : await mayChange(tx, organizationId, given.decidedBy, approving(given), place),
  });
}

/** What it takes to approve, or to bypass the approval. */
export function approving({ approvers, isBypass }: Pick<Approval, "approvers" | "isBypass">): Needs {
  return { ...DEPLOY, role: isBypass ? "admin" : approvers };
}
