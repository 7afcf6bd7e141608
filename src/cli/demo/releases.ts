/** The steps after a page is served: variables, a second commit under load, and the rollback. */
import {
  type Deployment,
  type DeploymentDetails,
  type Slipway,
  WaitFailedError,
} from "../../../sdk/src/index.ts";
import type { Lines } from "./lines.ts";
import { underLoad } from "./load.ts";
import { pageOf, type ShopRepository } from "./repository.ts";

const OF_ENVIRONMENT = "of the environment";
const OF_SERVICE = "of the service";

type ServedShop = {
  readonly repository: ShopRepository;
  readonly projectId: string;
  readonly environmentId: string;
  readonly serviceId: string;
  readonly first: { readonly text: string; readonly deploymentId: string };
  /** Opens the page as a browser does, and rejects unless it is one of these. @returns the page */
  readonly open: (...expected: readonly string[]) => Promise<string>;
};

export async function playReleases(lines: Lines, slipway: Slipway, shop: ServedShop): Promise<void> {
  const { repository, open } = shop;
  const project = { projectId: shop.projectId, repoUrl: repository.url };
  const before = pageOf(shop.first.text, OF_SERVICE);
  const setGreeting = async (
    owner: { readonly environmentId: string } | { readonly serviceId: string },
    greeting: string,
  ): Promise<string> => {
    await slipway.variables.set(owner, { plainText: { GREETING: greeting } });
    await deployHead(slipway, project);
    return `"${await open(pageOf(shop.first.text, greeting))}"`;
  };
  await lines.step("GREETING of the environment, deployed", async () =>
    setGreeting({ environmentId: shop.environmentId }, OF_ENVIRONMENT),
  );
  await lines.step("GREETING of the service goes before", async () =>
    setGreeting({ serviceId: shop.serviceId }, OF_SERVICE),
  );
  await lines.step("Deploy a second commit under load", async () => {
    const text = "The second commit";
    const after = pageOf(text, OF_SERVICE);
    const asked = await underLoad(
      async () => open(before, after),
      async () => {
        await repository.commit(text);
        await deployHead(slipway, project);
        await open(after);
      },
    );
    return `${asked} requests, 0 failed; "${await open(after)}"`;
  });
  await lines.step("Roll back to the first deployment", async () => {
    const { deployment } = await slipway.deployments.rollback(shop.first.deploymentId);
    await untilDeployed(slipway, deployment.id);
    return `${deployment.branch} at ${deployment.commit}: "${await open(before)}"`;
  });
}

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
async function untilDeployed(slipway: Slipway, id: string): Promise<void> {
  try {
    await slipway.deployments.wait(id);
  } catch (cause) {
    if (!(cause instanceof WaitFailedError)) throw cause;
    const { status, error, services } = cause.last as DeploymentDetails;
    throw new Error(`The deployment ended with ${JSON.stringify({ status, error, services })}`, { cause });
  }
}
