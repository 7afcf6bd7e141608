import type { Actor } from "../actor.ts";
import { isForeignKeyViolation, type Sql, type Transaction } from "../db/database.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { recordAudit } from "../organizations/audit.ts";
import { type Deployment, NOT_RELEASED_YET } from "./deployment.ts";
import type { PreparedDeployment } from "./prepare-deployment.ts";
import { deployments } from "./store.ts";

/** Records a deployment of a commit that the git host has. @throws AppError `NOT_FOUND` when the project is gone */
export async function createDeployment(
  tx: Transaction,
  actor: Actor,
  prepared: PreparedDeployment,
): Promise<Deployment> {
  const { organizationId } = actor;
  const id = newId("depl");
  try {
    const deployment = await deployments.insert(tx, {
      organizationId,
      id,
      ...prepared,
      status: "PENDING",
      statusReason: NOT_RELEASED_YET,
    });
    if (deployment === null) throw notFound();
    await recordAudit(tx, actor, "deployment.created", id);
    return deployment;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw notFound();
    throw error;
  }
}

/** @throws AppError `NOT_FOUND` */
export async function getDeployment(sql: Sql, organizationId: string, id: string): Promise<Deployment> {
  const deployment = await deployments.find(sql, organizationId, id);
  if (deployment === null) throw notFound();
  return deployment;
}
