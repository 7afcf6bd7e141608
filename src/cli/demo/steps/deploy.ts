import {
  type Deployment,
  type DeploymentDetails,
  type Slipway,
  WaitFailedError,
} from "../../../../sdk/src/index.ts";

/** Deploys the head of the branch. Resolves when it runs. */
export async function deployHead(
  slipway: Slipway,
  project: { readonly projectId: string; readonly repoUrl: string },
): Promise<Deployment> {
  const { projectId, repoUrl } = project;
  const deployment = await slipway.deployments.create({ repoUrl, filter: { projectId } });
  await untilDeployed(slipway, deployment.id);
  return deployment;
}

/** Resolves when the deployment has succeeded. @throws Error with the API's message when it failed */
export async function untilDeployed(slipway: Slipway, id: string): Promise<void> {
  try {
    await slipway.deployments.wait(id);
  } catch (cause) {
    if (!(cause instanceof WaitFailedError)) throw cause;
    const { status, error, services } = cause.last as DeploymentDetails;
    throw new Error(`The deployment ended with ${JSON.stringify({ status, error, services })}`, { cause });
  }
}
