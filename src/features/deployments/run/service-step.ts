import { CloudError } from "../../../cloud/cloud.ts";
import type { Workload } from "../../../cloud/platform.ts";
import { reportDenial } from "../../cloud-accounts/commands.ts";
import { listEffectiveVariables } from "../../variables/effective/effective.ts";
import type { ServiceStep } from "./decide-run.ts";
import { type DeployedService, type DeploymentError, tokenOf } from "../deployment.ts";
import type { Pass } from "./pass.ts";
import { emitReleased } from "./emit-status.ts";
import { toRuntimeVariables, withCommit } from "./runtime-variables.ts";
import { deployedServices } from "../deployed-service-store.ts";

/**
 * Takes one step of a service. Each call to the platform is recorded before it is made. After a crash between
 * the two, the recorded status leads to the same call again.
 * @returns whether the service's status changed
 * @throws CloudError for failures that may pass
 */
export async function takeServiceStep(
  pass: Pass,
  service: DeployedService,
  step: ServiceStep,
): Promise<boolean> {
  const { db, platform, account } = pass;
  const token = tokenOf(service);
  switch (step.kind) {
    case "wait":
    case "waitForLink":
      return false;
    case "startBuild":
      return await begin(pass, service, "BUILDING", (workload) => startBuild(pass, service, workload));
    case "startRelease":
      return await begin(pass, service, "DEPLOYING", (workload) => startRelease(pass, service, workload));
    case "built": {
      const { artifact } = step;
      return await deployedServices.setStatus(db, service, { status: "INPROGRESS", artifact, ended: false });
    }
    case "released":
      return await recordLive(pass, service, step.url);
    case "end":
      return await end(pass, service, step);
    case "stopBuild":
      await platform.builds.cancel(account, token);
      return await end(pass, service, step);
    case "stopRelease": {
      await platform.releases.cancel(account, token);
      // The release may be live already.
      const release = await platform.releases.describe(account, token);
      if (release?.status !== "LIVE") return await end(pass, service, step);
      return await recordLive(pass, service, release.url);
    }
  }
}

async function recordLive(
  { db, deployment }: Pass,
  service: DeployedService,
  url: string | null,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const isNews = await deployedServices.setStatus(tx, service, { status: "SUCCESS", url, ended: true });
    if (isNews) emitReleased(tx, deployment, service, url);
    return isNews;
  });
}

type End = Pick<DeployedService, "status"> & { readonly error: DeploymentError };

async function end({ db }: Pass, service: DeployedService, { status, error }: End): Promise<boolean> {
  return await deployedServices.setStatus(db, service, { status, error, ended: true });
}

async function begin(
  pass: Pass,
  service: DeployedService,
  status: "BUILDING" | "DEPLOYING",
  call: (workload: Workload) => Promise<void>,
): Promise<boolean> {
  const { workload } = service;
  if (workload === null) throw new Error(`The external service ${service.serviceId} has nothing to start.`);
  const hasBegun = service.status === status;
  // Another worker was faster.
  if (!hasBegun && !(await deployedServices.setStatus(pass.db, service, { status, ended: false })))
    return false;
  try {
    await call(workload);
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    await reportDenial(pass, error, pass.project.organizationId, pass.project.awsAccountId);
    if (error.kind === "retryable") throw error;
    const { code, message } = error;
    const ended = status === "BUILDING" ? "BUILD_ERROR" : "ERROR";
    return await end(pass, { ...service, status }, { status: ended, error: { code, message } });
  }
  return !hasBegun;
}

async function startBuild(pass: Pass, service: DeployedService, workload: Workload): Promise<void> {
  const { db, platform, account, project, deployment } = pass;
  const { organizationId, serviceId } = service;
  // Links without an address are left out: builds come before all releases and wait for none.
  const { variables } = toRuntimeVariables(await listEffectiveVariables(db, organizationId, serviceId));
  await platform.builds.start(account, {
    token: tokenOf(service),
    service: placeOf(pass, service),
    workload,
    source: {
      repoUrl: project.normalizedRepoUrl,
      commit: deployment.commitHash,
      branch: deployment.branch,
    },
    variables: withCommit(variables, deployment, project.normalizedRepoUrl),
    timeLimitSeconds: pass.buildLimitSeconds,
  });
}

async function startRelease(pass: Pass, service: DeployedService, workload: Workload): Promise<void> {
  const { db, platform, account, project, deployment } = pass;
  const { organizationId, serviceId, artifact } = service;
  if (artifact === null) throw new Error(`The service ${serviceId} is released before it is built.`);
  const { variables, unresolved } = toRuntimeVariables(
    await listEffectiveVariables(db, organizationId, serviceId),
  );
  // The distribution of a new service has no host name yet; the next pass tries again.
  if (unresolved.length > 0) return;
  await platform.releases.start(account, {
    token: tokenOf(service),
    service: placeOf(pass, service),
    workload,
    artifact,
    variables: withCommit(variables, deployment, project.normalizedRepoUrl),
  });
}

/** The service as the platform knows it. */
function placeOf({ environment }: Pass, { serviceId }: DeployedService) {
  return { serviceId, environmentId: environment.id, region: environment.region };
}
