import { Type } from "typebox";
import type { Api } from "../api.ts";

const UNDER_WAY = new Set(["PENDING", "INPROGRESS", "BUILDING", "DEPLOYING"]);

export const Deployment = Type.Object({ id: Type.String(), branch: Type.String(), commit: Type.String() });
export type Deployment = Type.Static<typeof Deployment>;

const Failure = Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String() })]);
const DeploymentState = Type.Object({
  status: Type.String(),
  error: Failure,
  services: Type.Array(Type.Object({ configId: Type.String(), status: Type.String(), error: Failure })),
});

/** Deploys the head of the branch. Resolves when it runs. */
export async function deployHead(
  api: Api,
  project: { readonly projectId: string; readonly repoUrl: string },
): Promise<Deployment> {
  const deployment = await api.expect(201, Deployment, "POST", "/v1/deployments", {
    repoUrl: project.repoUrl,
    filter: { projectId: project.projectId },
  });
  await untilDeployed(api, deployment.id);
  return deployment;
}

/** Resolves when the deployment has succeeded. @throws Error with the API's message when it failed */
export async function untilDeployed(api: Api, id: string): Promise<void> {
  const ended = await api.follow(
    `/v1/deployments/${id}`,
    DeploymentState,
    ({ status }) => !UNDER_WAY.has(status),
  );
  if (ended.status === "SUCCESS") return;
  const { status, error, services } = ended;
  throw new Error(`The deployment ended with ${JSON.stringify({ status, error, services })}`);
}
