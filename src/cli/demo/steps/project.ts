import { Type } from "typebox";
import type { Api } from "../api.ts";
import type { Lines } from "../lines.ts";

const Identified = Type.Object({ id: Type.String() });

type Ids = { readonly projectId: string; readonly environmentId: string; readonly serviceId: string };

/** Creates a project configured by the repository's `slipway.json`, with one environment of one service. */
export async function createProject(
  lines: Lines,
  api: Api,
  { repoUrl, awsAccountId }: { readonly repoUrl: string; readonly awsAccountId: string },
): Promise<Ids> {
  let ids: Ids = { projectId: "", environmentId: "", serviceId: "" };
  await lines.step("Connect the git provider", async () => {
    const body = { provider: "provider_a", token: "any-token-does-here" };
    await api.expect(201, Identified, "POST", "/v1/git-integrations", body);
    return "provider_a";
  });
  await lines.step("Create a project from its repository", async () => {
    const project = await api.expect(201, Identified, "POST", "/v1/projects", {
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
    const { environments } = await api.expect(
      200,
      Type.Object({ environments: Type.Array(Identified) }),
      "GET",
      `/v1/projects/${ids.projectId}/environments`,
    );
    const environmentId = environments[0]?.id ?? "";
    const { services } = await api.expect(
      200,
      Type.Object({ services: Type.Array(Identified, { minItems: 1 }) }),
      "GET",
      `/v1/environments/${environmentId}/services`,
    );
    const serviceId = services[0]?.id ?? "";
    ids = { ...ids, environmentId, serviceId };
    return `${environmentId}, ${serviceId}`;
  });
  return ids;
}
