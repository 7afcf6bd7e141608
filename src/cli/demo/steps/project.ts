import type { Slipway } from "../../../../sdk/src/index.ts";
import type { Lines } from "../lines.ts";

type Ids = { readonly projectId: string; readonly environmentId: string; readonly serviceId: string };

/** Creates a project configured by the repository's `slipway.json`, with one environment of one service. */
export async function createProject(
  lines: Lines,
  slipway: Slipway,
  { repoUrl, awsAccountId }: { readonly repoUrl: string; readonly awsAccountId: string },
): Promise<Ids> {
  let ids: Ids = { projectId: "", environmentId: "", serviceId: "" };
  await lines.step("Connect the git provider", async () => {
    await slipway.gitIntegrations.create({ provider: "provider_a", token: "any-token-does-here" });
    return "provider_a";
  });
  await lines.step("Create a project from its repository", async () => {
    const project = await slipway.projects.create({
      name: "Shop",
      repoUrl,
      awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    ids = { ...ids, projectId: project.id };
    return `configured by slipway.json in ${repoUrl}`;
  });
  await lines.step("Read its environment and service", async () => {
    const { environments } = await slipway.environments.list(ids.projectId);
    const environmentId = environments[0]?.id ?? "";
    const { services } = await slipway.services.list(environmentId);
    const serviceId = services[0]?.id ?? "";
    ids = { ...ids, environmentId, serviceId };
    return `${environmentId}, ${serviceId}`;
  });
  return ids;
}
