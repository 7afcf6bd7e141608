/** Has the platform run as many instances of a service as a client asked for. */
import { CloudError } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { Jobs, Reconcile } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { suspectAwsAccount } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import type { Service } from "../projects/project.ts";
import { findService, getProject } from "../projects/queries.ts";
import { whyOutside } from "./decide-count.ts";
import { SCALING_ERRORS } from "./errors.ts";
import { SCALING_EVENTS } from "./events.ts";
import { findLiveInstances } from "./queries.ts";
import { scalings } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;

type Deps = { readonly db: Database; readonly platform: Platform | null; readonly jobs: Jobs };
type Failure = { readonly code: string; readonly message: string; readonly isDenied: boolean };

/** @returns a reconciler of services, by their ids */
export function reconcileScaling(deps: Deps): Reconcile {
  const { db, platform } = deps;
  return async ({ organizationId, id }) => {
    const service = await findService(db, organizationId, id);
    if (service === null || platform === null) return "done";
    const { count } = await scalings.find(db, service);
    if (count === null) return "done";
    const { awsAccountId } = await getProject(db, organizationId, service.projectId);
    const account = await getConnectedAccount(db, organizationId, awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    const live = await findLiveInstances(db, service);
    // A deployment may have changed the limits meanwhile.
    const outside = live === null ? "The service has no live release." : whyOutside(count, live.size);
    if (live === null || outside !== null) {
      const { code } = SCALING_ERRORS.INSTANCES_OUT_OF_RANGE;
      await record(deps, service, count, { code, message: outside ?? "", isDenied: false });
      return "done";
    }
    try {
      await platform.services.scale(account, live.place, count);
    } catch (error) {
      if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
      await record(deps, service, count, failureOf(error));
      return "done";
    }
    await record(deps, service, count, null);
    return "done";
  };
}

function failureOf({ kind, code, message }: CloudError): Failure {
  const isDenied = kind === "denied";
  const update = " Update the connection's stack with the current template, and try again.";
  return { code, message: `${message}${isDenied ? update : ""}`, isDenied };
}

async function record(
  { db, jobs }: Deps,
  service: Service,
  count: number,
  failure: Failure | null,
): Promise<void> {
  const { organizationId, id: subjectId, projectId, environmentId, configId } = service;
  await db.transaction(async (tx) => {
    if (!(await scalings.end(tx, service, count, failure?.message ?? null))) return;
    announceChange(tx, subjectId);
    const place = { subjectId, projectId, environmentId, serviceId: subjectId };
    const data = { service: configId, desiredCount: count };
    const actor = slipwayOf(organizationId);
    if (failure === null) return emit(tx, actor, { type: SCALING_EVENTS["service.scaled"], ...place, data });
    const type = SCALING_EVENTS["service.scaling_failed"];
    emit(tx, actor, { type, ...place, data: { ...data, error: codedErrorOf(failure) } });
    if (!failure.isDenied) return;
    const { awsAccountId } = await getProject(tx, organizationId, projectId);
    await suspectAwsAccount(tx, jobs, organizationId, awsAccountId);
  });
}
