import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import { type CloudAccount, CloudError } from "../../cloud/cloud.ts";
import type {
  Command,
  OpenCredentials,
  Platform,
  RuntimeVariable,
  Workload,
  WorkloadSize,
} from "../../cloud/platform.ts";
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { GitError } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { AppError } from "../../lib/errors.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { findDefaultDistributionHost } from "../distributions/commands.ts";
import { type GitDeps, openGitAccess } from "../git-integrations/queries.ts";
import type { Environment, Project } from "../projects/project.ts";
import type { EffectiveVariable } from "../variables/env-variable.ts";
import { listEffectiveVariables } from "../variables/queries.ts";
import type { ServiceStep } from "./decide-run.ts";
import {
  type DeployedService,
  type Deployment,
  type DeploymentError,
  type Run,
  tokenOf,
} from "./deployment.ts";
import { emitReleased } from "./record.ts";
import { deployedServices } from "./run-store.ts";
import { platformServiceOf } from "../projects/platform-service.ts";

/** What the steps of one reconcile share. */
export type Context = GitDeps & {
  readonly jobs: Jobs;
  readonly platform: Platform;
  readonly account: CloudAccount;
  readonly project: Project;
  readonly environment: Environment;
  readonly deployment: Deployment;
  readonly run: Run;
  readonly buildLimitSeconds: number;
  readonly startPostDeploy: StartPostDeploy;
  /** Of reads that may succeed later. */
  readonly failures: unknown[];
};

/** Has `postDeployCommand` run in a release that is live. @returns the execution's id */
export type StartPostDeploy = (
  tx: Transaction,
  service: DeployedService & Pick<Deployment, "projectId">,
  command: Command,
  size: WorkloadSize,
) => Promise<string>;

/**
 * Takes one step of a service. Each call to the platform is recorded before it is made. After a crash between
 * the two, the recorded status leads to the same call again.
 * @returns whether the service's status changed
 * @throws CloudError for failures that may be temporary
 */
export async function takeServiceStep(
  context: Context,
  service: DeployedService,
  step: ServiceStep,
): Promise<boolean> {
  const { db, platform, account } = context;
  const token = tokenOf(service);
  switch (step.kind) {
    case "wait":
    case "waitForLink":
      return false;
    case "startBuild":
      return await begin(context, service, "BUILDING", startBuild);
    case "startRelease":
      return await begin(context, service, "DEPLOYING", startRelease);
    case "built": {
      const { artifact } = step;
      return await deployedServices.setStatus(db, service, { status: "INPROGRESS", artifact });
    }
    case "released":
      return await recordLive(context, service, step.url);
    case "end":
      return await deployedServices.setStatus(db, service, step);
    case "stopBuild":
      await platform.builds.cancel(account, token);
      return await deployedServices.setStatus(db, service, step);
    case "stopRelease": {
      await platform.releases.cancel(account, token);
      // The release may be live already.
      const release = await platform.releases.describe(account, token);
      if (release?.status === "LIVE") return await recordLive(context, service, release.url);
      return await deployedServices.setStatus(db, service, step);
    }
  }
}

async function recordLive(
  { db, deployment, startPostDeploy }: Context,
  service: DeployedService,
  url: string | null,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const isNews = await deployedServices.setStatus(tx, service, { status: "SUCCESS", url });
    const { organizationId, serviceId: id, workload } = service;
    if (service.type === "scheduler") enqueueWithoutAccount(tx, "job-schedule", { organizationId, id });
    if (!isNews) return false;
    emitReleased(tx, deployment, service, url);
    if (workload === null || !("postDeployCommand" in workload) || deployment.trigger === "restart")
      return true;
    const { postDeployCommand: command, size } = workload;
    if (command === undefined) return true;
    // In the transaction of the status, which changes once: so it starts once.
    const executionId = await startPostDeploy(
      tx,
      { ...service, projectId: deployment.projectId },
      command,
      size,
    );
    await deployedServices.setPostDeploy(tx, service, { executionId, status: "RUNNING", error: null });
    return true;
  });
}

async function begin(
  context: Context,
  service: DeployedService,
  status: "BUILDING" | "DEPLOYING",
  start: (context: Context, service: DeployedService, workload: Workload) => Promise<DeploymentError | null>,
): Promise<boolean> {
  const { db, project } = context;
  const { workload } = service;
  if (workload === null) throw new Error(`The external service ${service.serviceId} has nothing to start.`);
  const hasBegun = service.status === status;
  // Another worker was faster.
  if (!hasBegun && !(await deployedServices.setStatus(db, service, { status }))) return false;
  let failure: DeploymentError | null;
  try {
    failure = await start(context, service, workload);
  } catch (error) {
    if (error instanceof CloudError) {
      await reportDenial(context, error, project.organizationId, project.awsAccountId);
      if (error.kind === "retryable") throw error;
    } else if (!(error instanceof AppError || error instanceof GitError)) throw error;
    const { code, message } = error;
    failure = { code, message };
  }
  if (failure === null) return !hasBegun;
  const outcome = { status: status === "BUILDING" ? "BUILD_ERROR" : "ERROR", error: failure } as const;
  return await deployedServices.setStatus(db, { ...service, status }, outcome);
}

async function startBuild(context: Context, service: DeployedService, workload: Workload): Promise<null> {
  const { db, platform, account, project, deployment } = context;
  const { organizationId, serviceId } = service;
  const effective = await listEffectiveVariables(db, organizationId, serviceId);
  // The files keep what they are built with. The distribution of a new service soon has a name: reconciled again.
  if (service.type === "static" && effective.some(isBeforeItsDistribution)) return null;
  // Other links without an address are left out: builds come before all releases and wait for none.
  const { variables } = toRuntimeVariables(effective);
  const request = {
    token: tokenOf(service),
    service: platformServiceOf(context.environment, service),
    workload,
    source: {
      repoUrl: project.normalizedRepoUrl,
      commit: deployment.commitHash,
      branch: deployment.branch,
    },
    variables: await withFacts(context, service, variables),
    timeLimitSeconds: context.buildLimitSeconds,
  };
  await platform.builds.start(account, request, openCredentialsOf(context));
  return null;
}

/** The opened function throws AppError `GIT_INTEGRATION_MISSING` and GitError, which end the build. */
function openCredentialsOf({ project, git, ...deps }: Context): OpenCredentials {
  const { organizationId, provider, host, normalizedRepoUrl } = project;
  return async () => {
    const access = await openGitAccess(deps, organizationId, provider, host);
    return git.credentialsFor(access, parseRepositoryUrl(normalizedRepoUrl));
  };
}

/** @returns why it cannot be released */
async function startRelease(
  context: Context,
  service: DeployedService,
  workload: Workload,
): Promise<DeploymentError | null> {
  const { db, platform, account } = context;
  const { organizationId, serviceId, artifact } = service;
  if (artifact === null) throw new Error(`The service ${serviceId} is released before it is built.`);
  const effective = await listEffectiveVariables(db, organizationId, serviceId);
  // A variable of the environment may lead to the service itself, whose first release gives it its address.
  const given = effective.filter((one) => !(isWithoutAddress(one) && one.linkedService?.id === serviceId));
  const failure = findMissingAddress(given) ?? findFailedStore(given);
  if (failure !== null) return failure;
  const { variables, unresolved } = toRuntimeVariables(given);
  // The distribution of a new service has no host name yet; the next reconcile tries again.
  if (unresolved.length > 0) return null;
  await platform.releases.start(account, {
    token: tokenOf(service),
    service: platformServiceOf(context.environment, service),
    workload: context.deployment.trigger === "restart" ? withoutPreDeploy(workload) : workload,
    artifact,
    variables: await withFacts(context, service, variables),
  });
  return null;
}

/** Whether it leads to a private service that was never released. Other services have a distribution before. */
function isWithoutAddress({ linkedService, linkedValue }: EffectiveVariable): boolean {
  return linkedValue === null && linkedService?.type === "web-private";
}

function isBeforeItsDistribution({ linkedService, linkedValue }: EffectiveVariable): boolean {
  return linkedValue === null && ["static", "web", "external"].includes(linkedService?.type ?? "");
}

/** Services without an address come first; if one cannot, waiting would not help. */
function findMissingAddress(variables: readonly EffectiveVariable[]): DeploymentError | null {
  const missing = variables.find(isWithoutAddress);
  if (missing === undefined) return null;
  const { variable, linkedService } = missing;
  const message = `Its variable ${variable.name} leads to the private service ${linkedService?.configId}, which has no live release. That service has to be released first, so it must not need this one: neither in dependsOn, nor in a variable.`;
  return { code: "SERVICE_HAS_NO_ADDRESS", message };
}

/** The platform keeps trying, and another deployment may find it. */
function findFailedStore(variables: readonly EffectiveVariable[]): DeploymentError | null {
  const failed = variables.find(({ storeFailure }) => storeFailure !== null);
  if (failed === undefined) return null;
  const { variable, linkedService, storeFailure } = failed;
  const message = `Its variable ${variable.name} leads to the data store ${linkedService?.configId}, which is not available: ${storeFailure?.message}`;
  return { code: "DATA_STORE_FAILED", message };
}

/** A restart starts what was prepared already. */
function withoutPreDeploy(workload: Workload): Workload {
  if (workload.type === "static" || workload.type === "scheduler") return workload;
  const { preDeployCommand: _command, ...rest } = workload;
  return rest;
}

/** The variables of a service, with what a build and a release may know of their commit and of where they run. */
async function withFacts(
  { db, project, environment, deployment }: Context,
  { organizationId, serviceId }: DeployedService,
  variables: readonly RuntimeVariable[],
): Promise<readonly RuntimeVariable[]> {
  const host = await findDefaultDistributionHost(db, organizationId, serviceId);
  const { templateId, pullRequest } = environment;
  const facts = {
    ...(host === null ? {} : { SLIPWAY_URL: `https://${host}` }),
    ...(templateId === null ? {} : { SLIPWAY_PREVIEW: "true" }),
    ...(pullRequest === null ? {} : { SLIPWAY_PR_NUMBER: String(pullRequest) }),
    SLIPWAY_GIT_COMMIT_SHA: deployment.commitHash,
    SLIPWAY_GIT_BRANCH: deployment.branch,
    SLIPWAY_GIT_REPOSITORY: project.normalizedRepoUrl,
    SLIPWAY_DEPLOYMENT_ID: deployment.id,
  };
  // Variables of the service take precedence.
  const added = Object.entries(facts)
    .filter(([name]) => !variables.some((variable) => variable.name === name))
    .map(([name, value]) => ({ name, kind: "plainText", value }) as const);
  return [...added, ...variables];
}

/**
 * Effective variables in the platform's form: links as their value, managed ones as their reference.
 * Pure. `unresolved` contains the names of links that have no value yet.
 */
export function toRuntimeVariables(effective: readonly EffectiveVariable[]): {
  readonly variables: readonly RuntimeVariable[];
  readonly unresolved: readonly string[];
} {
  const variables: RuntimeVariable[] = [];
  const unresolved: string[] = [];
  for (const { variable, linkedValue } of effective) {
    const { name, kind, plainValue, reference } = variable;
    switch (kind) {
      case "plainText":
        variables.push({ name, kind, value: plainValue ?? "" });
        break;
      case "fromService":
        if (linkedValue === null) unresolved.push(name);
        else if (linkedValue.kind !== "withheld") variables.push({ name, ...linkedValue });
        break;
      case "parameterStore":
      case "fromParameterStore":
        variables.push({ name, kind: "fromParameterStore", reference: reference ?? "" });
        break;
      case "secretsManager":
      case "fromSecretsManager":
        variables.push({ name, kind: "fromSecretsManager", reference: reference ?? "" });
        break;
    }
  }
  return { variables, unresolved };
}
