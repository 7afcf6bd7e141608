/** The steps after a page is served: variables, a second commit under load, and the rollback. */
import { Type } from "typebox";
import type { Api } from "../api.ts";
import { Deployment, deployHead, untilDeployed } from "./deploy.ts";
import type { Lines } from "../lines.ts";
import { underLoad } from "../load.ts";
import { pageOf, type ShopRepository } from "./repository.ts";

const OF_ENVIRONMENT = "of the environment";
const OF_SERVICE = "of the service";

export type ServedShop = {
  readonly repository: ShopRepository;
  readonly projectId: string;
  readonly environmentId: string;
  readonly serviceId: string;
  readonly first: { readonly text: string; readonly deploymentId: string };
  /** Opens the page as a browser does, and rejects unless it is one of these. @returns the page */
  readonly open: (...expected: readonly string[]) => Promise<string>;
};

export async function playReleases(lines: Lines, api: Api, shop: ServedShop): Promise<void> {
  const { repository, open } = shop;
  const project = { projectId: shop.projectId, repoUrl: repository.url };
  const before = pageOf(shop.first.text, OF_SERVICE);
  const setGreeting = async (owner: string, greeting: string): Promise<string> => {
    await api.expect(
      200,
      Type.Object({ status: Type.Literal("completed") }),
      "POST",
      `${owner}/env-variables`,
      {
        plainText: { GREETING: greeting },
      },
    );
    await deployHead(api, project);
    return `"${await open(pageOf(shop.first.text, greeting))}"`;
  };
  await lines.step("GREETING of the environment, deployed", async () =>
    setGreeting(`/v1/environments/${shop.environmentId}`, OF_ENVIRONMENT),
  );
  await lines.step("GREETING of the service goes before", async () =>
    setGreeting(`/v1/services/${shop.serviceId}`, OF_SERVICE),
  );
  await lines.step("Deploy a second commit under load", async () => {
    const text = "The second commit";
    const after = pageOf(text, OF_SERVICE);
    const asked = await underLoad(
      async () => open(before, after),
      async () => {
        await repository.commit(text);
        await deployHead(api, project);
        await open(after);
      },
    );
    return `${asked} requests, 0 failed; "${await open(after)}"`;
  });
  await lines.step("Roll back to the first deployment", async () => {
    const { deployment } = await api.expect(
      201,
      Type.Object({ deployment: Deployment }),
      "POST",
      `/v1/deployments/${shop.first.deploymentId}/rollback`,
    );
    await untilDeployed(api, deployment.id);
    return `${deployment.branch} at ${deployment.commit}: "${await open(before)}"`;
  });
}
