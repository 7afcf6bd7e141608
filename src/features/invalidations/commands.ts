import type { Cloud } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { listProviderIdsOfService } from "../distributions/commands.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { type Service, isPublic } from "../projects/project.ts";
import { findService, getProject, getService } from "../projects/queries.ts";
import { INVALIDATION_ERRORS } from "./errors.ts";
import { INVALIDATION_EVENTS } from "./events.ts";
import type { Invalidation } from "./invalidation.ts";
import { encodePath } from "./paths.ts";
import { invalidations } from "./store.ts";

const KEPT_DAYS = 30;

/**
 * Requests that answers of a service are removed from the caches of its distributions.
 * @throws AppError `NOT_FOUND`, `SERVICE_HAS_NO_CACHE`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function invalidate(
  tx: Transaction,
  deps: { readonly jobs: Jobs; readonly cloud: Pick<Cloud, "cachesAnswers"> },
  actor: Actor,
  serviceId: string,
  paths: readonly string[],
): Promise<Invalidation> {
  const { organizationId } = actor;
  const service = await getService(tx, organizationId, serviceId);
  if (!isPublic(service.type))
    throw new AppError(
      INVALIDATION_ERRORS.SERVICE_HAS_NO_CACHE,
      service.type !== "web-private"
        ? `${service.name} is a ${service.type}: it answers no requests, so nothing caches its responses.`
        : `${service.name} is private: it has no distribution, so nothing caches its responses.`,
    );
  const { awsAccountId } = await getProject(tx, organizationId, service.projectId);
  requireConnected(await getAwsAccount(tx, organizationId, awsAccountId));
  const isCached =
    deps.cloud.cachesAnswers && (await listProviderIdsOfService(tx, organizationId, serviceId)).length > 0;
  const encoded = [...new Set(paths.map(encodePath))];
  const status = isCached ? "PENDING" : "COMPLETED";
  const invalidation = await invalidations.insert(tx, { organizationId, serviceId, paths: encoded, status });
  const { id } = invalidation;
  recordAudit(tx, actor, "service.invalidation-requested", serviceId, {
    after: { invalidationId: id, paths: String(encoded.length) },
  });
  if (isCached) await deps.jobs.enqueue(tx, "invalidation", { organizationId, id, awsAccountId });
  else emitEnd(tx, actor, invalidation, service, null);
  return invalidation;
}

/** Ends it, with an error or complete. */
export async function endInvalidation(
  tx: Transaction,
  invalidation: Invalidation,
  error: Invalidation["error"],
): Promise<void> {
  const { organizationId, id, serviceId } = invalidation;
  if (!(await invalidations.end(tx, invalidation, error))) return;
  announceChange(tx, id);
  const service = await findService(tx, organizationId, serviceId);
  if (service !== null) emitEnd(tx, slipwayOf(organizationId), invalidation, service, error);
}

function emitEnd(
  tx: Transaction,
  actor: Actor,
  { id: invalidationId, paths }: Invalidation,
  { id, projectId, environmentId, configId }: Service,
  error: Invalidation["error"],
): void {
  const place = { subjectId: id, projectId, environmentId, serviceId: id };
  const data = { service: configId, invalidationId, paths: paths.length };
  if (error === null)
    return emit(tx, actor, { type: INVALIDATION_EVENTS["service.invalidated"], ...place, data });
  const type = INVALIDATION_EVENTS["service.invalidation_failed"];
  emit(tx, actor, { type, ...place, data: { ...data, error: codedErrorOf(error) } });
}

/** Removes old ones. @returns whether there may be more */
export async function pruneInvalidations(db: Database): Promise<boolean> {
  return await invalidations.prune(db, KEPT_DAYS);
}
