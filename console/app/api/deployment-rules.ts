/** What a deployment's state permits, its steps, and what to do when it failed. Pure. */
import type {
  DeployedService,
  Deployment,
  DeploymentDetails,
  DeploymentError,
  DeploymentTrigger,
  EnvironmentDrift,
  EnvironmentRun,
  NewestCommit,
} from "../../../sdk/src/generated/types.ts";

/** Why it cannot be cancelled (the server's `DEPLOYMENT_ENDED`); null: it can. */
export function reasonAgainstCancel({
  endedAt,
  cancelRequestedAt,
}: Pick<Deployment, "endedAt" | "cancelRequestedAt">): string | null {
  if (endedAt !== null) return "It has ended.";
  return cancelRequestedAt === null ? null : "It is being cancelled already.";
}

/** Why a rollback to it is refused (the server's `DEPLOYMENT_NOT_RESTORABLE`) or changes nothing; null: it is possible. */
export function reasonAgainstRollback({
  status,
  endedAt,
  trigger,
  isLive,
}: Pick<Deployment, "status" | "endedAt" | "trigger"> & { readonly isLive: boolean }): string | null {
  if (trigger === "restart") return "It only restarted a service.";
  if (isLive) return "It is live now.";
  if (status === "SUCCESS") return null;
  return endedAt === null ? "It has not ended." : "It never went live as a whole.";
}

/** Why its commit is not deployed again now; null: it can be. The server permits it, but the first one still runs. */
export function reasonAgainstRedeploy({ endedAt }: Pick<Deployment, "endedAt">): string | null {
  return endedAt === null ? "It has not ended." : null;
}

/**
 * Why the newest commit of its branch cannot be deployed; null: it can be.
 * @param drift of an environment that follows the branch; null until it is known
 */
export function reasonAgainstNewest(
  {
    environmentId,
    branch,
    commitHash,
  }: { readonly environmentId: string | undefined } & Pick<Deployment, "branch" | "commitHash">,
  drift: EnvironmentDrift | null,
  isFailed: boolean,
): string | null {
  if (environmentId === undefined) return "Its environments are not known yet.";
  if (isFailed) return "The newest commit could not be read.";
  if (drift === null) return "Asking the git host for the newest commit…";
  if (drift.branch !== branch) return `The environment now follows ${drift.branch}.`;
  if (drift.newest === null) return drift.problem ?? "The git host does not say which commit is the newest.";
  return drift.newest.commitHash === commitHash
    ? `This is the newest commit of ${branch}. Redeploy it.`
    : null;
}

export type StepState = "waiting" | "busy" | "done" | "failed" | "stopped" | "skipped";
export type Step = {
  readonly name: string;
  readonly state: StepState;
  /** ISO 8601; null: it has not begun. */
  readonly from: string | null;
  readonly to: string | null;
};

const FAILED: readonly string[] = ["ERROR", "BUILD_ERROR"];

/** The steps of a deployment, from its request to its end, each with when it began and ended. */
export function stepsOf(deployment: DeploymentDetails): readonly Step[] {
  const { createdAt, startedAt, endedAt, status, services } = deployment;
  const buildFrom = earliest(services.map((service) => service.buildStartedAt));
  const releaseFrom = earliest(services.map((service) => service.releaseStartedAt));
  const begun: readonly (readonly [string, string | null])[] = [
    ["Waiting", createdAt],
    ["Planning", startedAt],
    ["Building", buildFrom],
    ["Releasing", releaseFrom],
  ];
  const last = begun.findLastIndex(([, from]) => from !== null);
  // The deployment waits only for an approval: its work in other environments has ended.
  const isHeld = status === "PENDING_APPROVAL";
  const steps = begun.map(([name, from], index): Step => {
    const next = begun.slice(index + 1).find(([, at]) => at !== null)?.[1] ?? endedAt;
    if (from === null) {
      const isPassed = index < last || status === "SUCCESS";
      return { name, state: isPassed || endedAt !== null ? "skipped" : "waiting", from, to: null };
    }
    if (index < last) return { name, state: "done", from, to: next };
    if (isHeld) return { name, state: "done", from, to: deployment.updatedAt };
    if (endedAt === null) return { name, state: "busy", from, to: null };
    const state = status === "SUCCESS" ? "done" : FAILED.includes(status) ? "failed" : "stopped";
    return { name, state, from, to: endedAt };
  });
  const approval = stepOfApprovals(deployment.approvals);
  return approval === null ? steps : steps.toSpliced(1, 0, approval);
}

/** Null if no environment asks for one. */
function stepOfApprovals(approvals: DeploymentDetails["approvals"]): Step | null {
  const from = earliest(approvals.map(({ requestedAt }) => requestedAt));
  if (from === null) return null;
  const isDecided = approvals.every(({ status }) => status !== "WAITING");
  const to = isDecided
    ? (approvals
        .map(({ decidedAt }) => decidedAt ?? "")
        .toSorted()
        .at(-1) ?? null)
    : null;
  const isGiven = approvals.some(({ status }) => status === "APPROVED");
  return { name: "Approval", state: isDecided ? (isGiven ? "done" : "stopped") : "busy", from, to };
}

/** The earliest of some instants in ISO 8601, all in UTC. */
function earliest(instants: readonly (string | null)[]): string | null {
  return instants.filter((at) => at !== null).toSorted()[0] ?? null;
}

export type Failure = {
  /** What failed, in a sentence. */
  readonly title: string;
  readonly error: DeploymentError;
  /** The service that failed; null if it was not one. */
  readonly service: DeployedService | null;
};

/** Failures that follow from another one. */
const FOLLOWING: readonly string[] = ["OTHER_BUILD_FAILED", "DEPENDENCY_FAILED", "CANCELLED"];

/** The first cause of a failed deployment; null if it has not failed. @param nameOf what an environment is called */
export function failureOf(
  { status, error, environments, services }: DeploymentDetails,
  nameOf: (environment: EnvironmentRun) => string,
): Failure | null {
  if (!FAILED.includes(status)) return null;
  const service = services.find((one) => one.error !== null && !FOLLOWING.includes(one.error.code));
  if (service !== undefined && service.error !== null) {
    const isBuild = service.releaseStartedAt === null;
    const title = isBuild ? `${service.name} could not be built` : `${service.name} could not be released`;
    return { title, error: service.error, service };
  }
  const run = environments.find((one) => one.error !== null);
  if (run !== undefined && run.error !== null)
    return { title: `The deployment failed in ${nameOf(run)}`, error: run.error, service: null };
  return error === null ? null : { title: "The deployment failed", error, service: null };
}

const CORRECT_BUILD =
  "Read the last lines of the build, correct it in the repository, push, and deploy again.";
const CORRECT_SERVICE = "Read what the service printed last, correct it or its variables, and deploy again.";
const CHECK_HEALTH =
  "See whether the service listens on its port and answers its health check, then deploy again.";

const NEXT: Readonly<Record<string, string>> = {
  BUILD_FAILED: CORRECT_BUILD,
  INSTALL_COMMAND_FAILED: CORRECT_BUILD,
  BUILD_COMMAND_FAILED: CORRECT_BUILD,
  BUILD_TIMED_OUT: "Make the build shorter, or find what it waits for, then deploy again.",
  RELEASE_FAILED: CORRECT_SERVICE,
  PROCESS_ENDED: CORRECT_SERVICE,
  RELEASE_TIMED_OUT: CHECK_HEALTH,
  HEALTH_CHECK_FAILED: CHECK_HEALTH,
  UNHEALTHY: CHECK_HEALTH,
  SERVICE_HAS_NO_ADDRESS:
    "Release the private service first: remove what it needs from this service, or the variable here.",
  PRE_DEPLOY_FAILED: "Read what preDeployCommand printed, correct it or its variables, and deploy again.",
  PRE_DEPLOY_TIMED_OUT: "Make preDeployCommand shorter, or find what it waits for, then deploy again.",
  DATA_STORE_FAILED: "Correct the data store, then deploy again.",
  CONFIG_INVALID: "Correct the configuration at these places, push, and deploy again.",
  CONFIG_FILE_NOT_FOUND:
    "Add the configuration's file to the branch, or correct its path in the project's settings.",
  CONFIG_NOT_APPLICABLE: "Correct the configuration, push, and deploy again.",
  AWS_ACCOUNT_NOT_CONNECTED: "Connect the cloud account of the project, then deploy again.",
  TOKEN_REFUSED: "Replace the token of the git integration, then deploy again.",
  HOST_UNAVAILABLE: "The git host did not answer. Deploy again in some minutes.",
};

/** What to do about a failure, beyond what its message says. */
export function nextStepFor({ code }: DeploymentError): string {
  return NEXT[code] ?? "Correct what the message says, then deploy again.";
}

/** Where a person corrects what a failure is about, outside of the repository. */
export type Place = "variables" | "data stores" | "cloud accounts" | "git integrations";

const PLACES: Readonly<Record<string, Place>> = {
  INSTALL_COMMAND_FAILED: "variables",
  BUILD_COMMAND_FAILED: "variables",
  BUILD_FAILED: "variables",
  BUILD_REFUSED: "variables",
  PRE_DEPLOY_FAILED: "variables",
  PROCESS_ENDED: "variables",
  HEALTH_CHECK_FAILED: "variables",
  UNHEALTHY: "variables",
  RELEASE_FAILED: "variables",
  RELEASE_TIMED_OUT: "variables",
  SERVICE_HAS_NO_ADDRESS: "variables",
  VARIABLE_NOT_FOUND: "variables",
  VARIABLE_NOT_ALLOWED: "variables",
  VALUES_UNAVAILABLE: "variables",
  DATA_STORE_FAILED: "data stores",
  AWS_ACCOUNT_NOT_CONNECTED: "cloud accounts",
  STACK_OUTDATED: "cloud accounts",
  TOKEN_REFUSED: "git integrations",
  HOST_REFUSED: "git integrations",
};

/** Null if the repository is the place, or if the code does not say. */
export function placeFor({ code }: DeploymentError): Place | null {
  return PLACES[code] ?? null;
}

const TRIGGERS: Readonly<Record<DeploymentTrigger, string>> = {
  api: "By hand",
  push: "Push",
  rollback: "Rollback",
  restart: "Restart",
};

/** What started it, in words. */
export function tellDeploymentTrigger(trigger: DeploymentTrigger): string {
  return TRIGGERS[trigger];
}

/** The first line of a commit's message; its hash, if there is none. */
export function titleOfCommit({
  commitMessage,
  commit,
}: Pick<NewestCommit, "commitMessage" | "commit">): string {
  const line = commitMessage?.trim().split("\n")[0] ?? "";
  return line === "" ? `Commit ${commit}` : line;
}
