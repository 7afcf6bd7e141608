import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import path from "node:path";
import { commitFiles, createRepository, type Files } from "../../../sandbox/src/git/git-repositories.ts";
import { type EdgeAnswer, getFromEdge } from "../sandbox/edge-client.ts";
import type { ApiClient } from "../api-client.ts";
import type { Instance } from "../instance.ts";
import { until } from "../until.ts";

export const urlOf = (name: string): string => `https://git.sandbox.test/${name}.git`;

/** Files of a repository with its configuration at `slipway.json`. */
export function withConfig(config: object, files: Files): Files {
  return { ...files, "slipway.json": JSON.stringify(config) };
}

/** One environment `production` on `main` with these services. */
export function configOf(services: readonly object[], more: object = {}): object {
  return {
    environments: [{ id: "production", region: "us-west-2", source: { branch: "main" }, services, ...more }],
  };
}

let ticks = 0;

/** Commits to a repository of the sandbox, which is made with its first commit. @returns the commit */
export async function push(
  instance: Pick<Instance, "dataDir">,
  name: string,
  files: Files,
  branch = "main",
): Promise<string> {
  const folder = path.join(instance.dataDir, "sandbox", "git");
  ticks += 1;
  const at = new Date(ticks * 1_000);
  const gitdir = path.join(folder, `${name}.git`);
  if (existsSync(gitdir)) return await commitFiles({ gitdir, branch, files, message: `Change ${ticks}`, at });
  return await createRepository({ folder, name, branch, files, at });
}

/** Sends what GitHub sends after a push to `main`, signed with a hook secret. @returns the ids of the deployments */
export async function deliverPush(
  { url }: Pick<Instance, "url">,
  secret: string,
  name: string,
  after: string,
): Promise<readonly string[]> {
  const body = JSON.stringify({ repository: { clone_url: urlOf(name) }, ref: "refs/heads/main", after });
  const answer = await fetch(`${url}/v1/git-hooks/provider_a`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-github-delivery": after,
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
  });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { readonly deploymentIds: readonly string[] }).deploymentIds;
}

/** Adds many branches of one commit to a repository of the sandbox. */
export function addBranches(
  { dataDir }: Pick<Instance, "dataDir">,
  name: string,
  branches: readonly string[],
  commit: string,
): void {
  const packed = path.join(dataDir, "sandbox", "git", `${name}.git`, "packed-refs");
  appendFileSync(packed, branches.map((branch) => `${commit} refs/heads/${branch}\n`).join(""));
}

/** A project whose configuration is the repository's `slipway.json`. @returns its id */
export async function createIacProject(
  client: ApiClient,
  name: string,
  awsAccountId = "main",
): Promise<string> {
  const created = await client.post("/v1/projects", {
    name,
    repoUrl: urlOf(name),
    awsAccountId,
    codeSource: { provider: "provider_a" },
    configType: "iac",
    configFilePath: "slipway.json",
    configFileBranch: "main",
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.id;
}

/** Starts a deployment. @returns its id */
export async function deploy(client: ApiClient, name: string, body: object = {}): Promise<string> {
  const created = await client.post("/v1/deployments", { repoUrl: urlOf(name), ...body });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.id;
}

const ENDED = ["SUCCESS", "ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"];

/** Waits until a deployment has ended, and returns it; fails if it ends with another status. */
export async function ended(client: ApiClient, id: string, status = "SUCCESS") {
  let last: unknown;
  try {
    const body = await until(
      async () => {
        ({ body: last } = await client.get(`/v1/deployments/${id}`));
        const seen = last as { status: string };
        return ENDED.includes(seen.status) ? seen : null;
      },
      `the deployment ${id} ends`,
      90_000,
    );
    assert.equal(body.status, status);
  } catch (error) {
    throw new Error(`Last seen: ${JSON.stringify(last, null, 1)}`, { cause: error });
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- Answers are looked at as they came, like `ApiAnswer.body`.
  return last as any;
}

/** The ids of the services of a project's only environment, by their ids in the configuration. */
export async function listServices(
  client: ApiClient,
  projectId: string,
): Promise<Readonly<Record<string, string>>> {
  const environments = await client.get(`/v1/projects/${projectId}/environments`);
  const [environment] = environments.body.environments;
  const { body } = await client.get(`/v1/environments/${environment.id}/services`);
  return Object.fromEntries(
    body.services.map(({ configId, id }: { configId: string; id: string }) => [configId, id]),
  );
}

/** Asks the edge for a page of a service, at the host of its default distribution. */
export async function getPage(instance: Instance, serviceId: string, page = "/"): Promise<EdgeAnswer> {
  const host = await until(
    async () => (await instance.admin.get(`/v1/services/${serviceId}`)).body.cdnDomainName as string | null,
    `the service ${serviceId} has a distribution`,
  );
  return await getFromEdge(instance.sandbox, host, { path: page });
}
