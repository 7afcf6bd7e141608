/**
 * Writes the statuses of deployments and their runs, and emits their events; the deployment's own status always together
 * with its run's.
 */
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import type { Actor } from "../../lib/actor.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import {
  type DeployedService,
  type Deployment,
  type DeploymentError,
  type DeploymentStatus,
  hasEnded,
  type Run,
} from "./deployment.ts";
import { DEPLOYMENT_EVENTS as EVENTS } from "./events.ts";
import { deployedServices, type Outcome, type RunKey, runs } from "./run-store.ts";
import { deployments } from "./store.ts";

type Recorded = {
  readonly status: DeploymentStatus;
  readonly error?: DeploymentError;
  /** Explains the status; the error's message by default. */
  readonly reason?: string | null;
};

function outcomeOf({ status, error, reason }: Recorded): Outcome {
  return { status, statusReason: reason ?? error?.message ?? null, error: error ?? null };
}

/**
 * Records the outcome of a run, unless another worker was faster, and updates its deployment.
 * @param actor who caused it, if not Slipway
 */
export async function recordRun(
  tx: Transaction,
  run: Run,
  recorded: Recorded,
  actor: Actor = slipwayOf(run.organizationId),
): Promise<void> {
  const outcome = outcomeOf(recorded);
  if (await runs.setStatus(tx, run, outcome)) await emitRecorded(tx, run, outcome, actor);
}

/** Emits the recorded outcome of a run, and updates its deployment. @param before the run until now */
export async function emitRecorded(
  tx: Transaction,
  before: RunBefore,
  recorded: Pick<Outcome, "status" | "error">,
  actor: Actor,
): Promise<void> {
  const { organizationId, deploymentId, environmentId } = before;
  const deployment = await deployments.lock(tx, organizationId, deploymentId);
  if (deployment === null) return;
  const services = hasFailed(recorded)
    ? await deployedServices.list(tx, organizationId, deploymentId, environmentId)
    : [];
  emitRunStatus(tx, actor, deployment, before, recorded, services);
  await sumUpLocked(tx, deployment, actor);
}

/** Updates a deployment's status from its runs. */
export async function sumUpDeployment(
  tx: Transaction,
  { organizationId, deploymentId }: Pick<Run, "organizationId" | "deploymentId">,
): Promise<void> {
  const deployment = await deployments.lock(tx, organizationId, deploymentId);
  if (deployment !== null) await sumUpLocked(tx, deployment, slipwayOf(organizationId));
}

/**
 * @param deployment locked: runs of one deployment end in jobs of different environments, and the last run to end must
 * see the others
 */
async function sumUpLocked(tx: Transaction, deployment: Deployment, actor: Actor): Promise<void> {
  const { organizationId, id } = deployment;
  const all = await runs.list(tx, organizationId, id);
  if (all.length === 0) return;
  const hasStarted = all.some(({ startedAt }) => startedAt !== null);
  await setStatus(tx, actor, deployment, sumUp(all), hasStarted, all);
}

/** Ends a deployment that has no runs, or records what it waits for. @param deployment locked, if its status changes */
export async function recordDeployment(
  tx: Transaction,
  deployment: Deployment,
  recorded: Recorded,
): Promise<void> {
  const slipway = slipwayOf(deployment.organizationId);
  await setStatus(tx, slipway, deployment, outcomeOf(recorded), false, []);
}

async function setStatus(
  tx: Transaction,
  actor: Actor,
  before: Deployment,
  outcome: Outcome,
  hasStarted: boolean,
  all: readonly Run[],
): Promise<void> {
  const { organizationId, id } = before;
  await deployments.setStatus(tx, organizationId, id, outcome, hasStarted);
  emitStatus(tx, actor, before, outcome, all);
  enqueueWithoutAccount(tx, "git-report", { organizationId, id });
  announceChange(tx, id);
}

/** The most important status first, for runs that end differently. */
const GRAVEST_FIRST = ["ERROR", "BUILD_ERROR", "CANCELLED", "SUCCESS", "SUPERSEDED"] as const;
const LATEST_FIRST = ["DEPLOYING", "BUILDING", "INPROGRESS"] as const;

/**
 * The status of a deployment, from the statuses of its runs (at least one). Pure. While a run is active, it is the
 * furthest status of the active ones; when all have ended, the gravest. It only waits for an approval when it waits for
 * nothing else.
 */
export function sumUp(all: readonly Outcome[]): Outcome {
  const pick = (status: DeploymentStatus) => {
    const those = all.filter((run) => run.status === status);
    // A run that built something has no reason, and neither has its deployment.
    const found =
      status === "SUCCESS" ? (those.find((run) => run.statusReason === null) ?? those[0]) : those[0];
    return { status, statusReason: found?.statusReason ?? null, error: found?.error ?? null };
  };
  const has = (status: DeploymentStatus): boolean => all.some((run) => run.status === status);
  if (all.every(({ status }) => hasEnded(status))) return pick(GRAVEST_FIRST.find(has) ?? "SUCCESS");
  const furthest = LATEST_FIRST.find(has);
  if (furthest !== undefined) return pick(furthest);
  if (!has("PENDING")) return pick("PENDING_APPROVAL");
  // Some may have ended while others still wait.
  return pick(all.some(({ status }) => hasEnded(status)) ? "INPROGRESS" : "PENDING");
}

/** The deployment itself has all; an event stays small. */
const SERVICES_MAX = 10;
/** In characters, of one message among several. */
const SHORT_MESSAGE = 200;

const NO_REASON: DeploymentError = { code: "UNKNOWN", message: "No reason was recorded." };

/** The ends of events' types, by the statuses that are not a success. */
const UNSUCCESSFUL = {
  ERROR: "failed",
  BUILD_ERROR: "failed",
  CANCELLED: "cancelled",
  SUPERSEDED: "superseded",
} as const;

/** The data of all events of a deployment. */
export function deploymentData({ status, branch, commitHash, trigger }: Deployment) {
  return { status, branch, commit: commitHash, trigger };
}

/**
 * The deployment has another status.
 * @param before as it is in the database, while its row is locked
 * @param all its runs
 */
export function emitStatus(
  tx: Transaction,
  actor: Actor,
  before: Deployment,
  { status, error }: Pick<Outcome, "status" | "error">,
  all: readonly Run[],
): void {
  if (status === before.status) return;
  const { id: subjectId, projectId, environmentId } = before;
  const of = { subjectId, projectId, environmentId };
  const changed = { ...deploymentData({ ...before, status }), previousStatus: before.status };
  const ended = { ...changed, environments: all.map(endOfRun) };
  switch (status) {
    case "PENDING":
    case "PENDING_APPROVAL":
    case "INPROGRESS":
      return;
    case "BUILDING":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.building"], data: changed });
    case "DEPLOYING":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.deploying"], data: changed });
    case "SUCCESS":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.succeeded"], data: ended });
    default: {
      const type = EVENTS[`deployment.${UNSUCCESSFUL[status]}`];
      emit(tx, actor, { ...of, type, data: { ...ended, error: codedErrorOf(error ?? NO_REASON) } });
    }
  }
}

function endOfRun({ environmentId: id, configId: environment, status, error }: Run) {
  return { id, environment, status, error: error === null ? null : codedErrorOf(error, SHORT_MESSAGE) };
}

/** The fields of a run that its events need. */
type RunBefore = RunKey & Pick<Run, "configId" | "status">;

/** The deployment ended in one environment. @param before the run until now @param services of the run, if it failed */
function emitRunStatus(
  tx: Transaction,
  actor: Actor,
  deployment: Deployment,
  before: RunBefore,
  { status, error }: Pick<Outcome, "status" | "error">,
  services: readonly DeployedService[],
): void {
  const { environmentId, configId: environment, status: previousStatus } = before;
  if (status === previousStatus) return;
  const of = { subjectId: deployment.id, projectId: deployment.projectId, environmentId };
  const ended = { ...deploymentData({ ...deployment, status }), previousStatus, environment };
  const early = { ...ended, error: codedErrorOf(error ?? NO_REASON) };
  switch (status) {
    case "PENDING":
    case "PENDING_APPROVAL":
    case "INPROGRESS":
    case "BUILDING":
    case "DEPLOYING":
      return;
    case "SUCCESS":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.environment_succeeded"], data: ended });
    case "ERROR":
    case "BUILD_ERROR": {
      const data = {
        ...early,
        services: services.filter(hasFailed).slice(0, SERVICES_MAX).map(endOfService),
      };
      return emit(tx, actor, { ...of, type: EVENTS["deployment.environment_failed"], data });
    }
    default:
      emit(tx, actor, { ...of, type: EVENTS[`deployment.environment_${UNSUCCESSFUL[status]}`], data: early });
  }
}

function hasFailed({ status }: { readonly status: DeploymentStatus }): boolean {
  return status === "ERROR" || status === "BUILD_ERROR";
}

function endOfService({ serviceId: id, configId: service, status, error }: DeployedService) {
  return { id, service, status, error: error === null ? null : codedErrorOf(error, SHORT_MESSAGE) };
}

/** A release went live. Call it once, where the service's status became `SUCCESS`. */
export function emitReleased(
  tx: Transaction,
  { commitHash: commit, projectId }: Deployment,
  { organizationId, deploymentId, serviceId, environmentId, configId: service }: DeployedService,
  url: string | null,
): void {
  emit(tx, slipwayOf(organizationId), {
    type: EVENTS["service.released"],
    subjectId: serviceId,
    projectId,
    environmentId,
    serviceId,
    data: { deploymentId, service, commit, url },
  });
}
