/** A customer who deploys all day, to two services and at times a third, and the required end. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Files } from "../../../sandbox/src/git/git-repositories.ts";
import type { ApiClient } from "../../helpers/api-client.ts";
import { configOf, createIacProject, push, urlOf, withConfig } from "../../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../../helpers/customers/scenario.ts";
import { listProcessesIn } from "../../helpers/sandbox/processes-in.ts";
import type { PatientClient } from "./clients.ts";
import type { Random } from "../random.ts";

const ENDED = ["SUCCESS", "ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"];
/** The platform keeps this many artifacts of each service, and one more that is live or starting. */
const MOST_ARTIFACTS = 6;

/** Where a deployment that is not the newest is cancelled; one of three is not. */
const CANCELS_AT = ["BUILDING", "DEPLOYING", null] as const;
type Stage = NonNullable<(typeof CANCELS_AT)[number]>;

export type Deploying = {
  readonly awsAccountId: string;
  readonly projectId: string;
  /** Its only environment. */
  readonly environmentId: string;
  readonly repository: string;
  /** Acknowledged deployments, with the final status that the API returned. */
  readonly deployments: Map<string, string>;
  /** What all services answer, and how many there are; of the newest deployment that succeeded. */
  live: { readonly text: string; readonly services: number; readonly deploymentId: string } | null;
};

/** Of an account, as the sandbox shows it. */
export type PlatformState = readonly {
  readonly serviceId: string;
  readonly builds: readonly { readonly id: string; readonly status: string }[];
  readonly releases: readonly {
    readonly token: string;
    readonly status: string;
    readonly url: string | null;
  }[];
}[];

/** A project on a separate repository. @param dataDir contains the sandbox's folder */
export async function startDeploying(client: ApiClient, dataDir: string, name: string): Promise<Deploying> {
  // The platform's project helper uses the account of this name, which is free in each organization.
  const awsAccountId = await connectAccount(client, "main");
  // The organization may have one already.
  await client.post("/v1/git-integrations", GIT_INTEGRATION);
  await push({ dataDir }, name, filesOf("none", false, null));
  const projectId = await createIacProject(client, name);
  const { body } = await client.get(`/v1/projects/${projectId}/environments`);
  const environmentId: string = body.environments[0].id;
  return { awsAccountId, projectId, environmentId, repository: name, deployments: new Map(), live: null };
}

/**
 * Up to three commits are deployed one after the other, some of them cancelled; the newest wins. In every other round
 * the environment asks for an approval of each, which the customer bypasses.
 */
export async function deployRound(
  customer: Deploying,
  around: { readonly client: PatientClient; readonly dataDir: string; readonly random: Random },
  round: number,
): Promise<void> {
  const { client, dataDir, random } = around;
  const { repository, deployments, environmentId } = customer;
  const asks = random.next() < 0.5;
  const approval = asks ? { approvers: "admin" } : null;
  const asked = await client.write("PATCH", `/v1/environments/${environmentId}`, {
    protection: { approval },
  });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const times = 1 + random.below(3);
  const started: string[] = [];
  for (let time = 1; time <= times; time += 1) {
    const text = `${repository} ${round}.${time}`;
    const hasThird = random.next() < 0.5;
    const isLast = time === times;
    const cancelsAt = isLast ? null : (CANCELS_AT[random.below(CANCELS_AT.length)] ?? null);
    await push({ dataDir }, repository, filesOf(text, hasThird, cancelsAt));
    const created = await client.write("POST", "/v1/deployments", { repoUrl: urlOf(repository) });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const id: string = created.body.id;
    deployments.set(id, "");
    started.push(id);
    if (asks) await approve(client, id);
    if (cancelsAt !== null) {
      await client.until(
        `/v1/deployments/${id}`,
        `deployment ${id} is ${cancelsAt}`,
        ({ body }) => body.status === cancelsAt || ENDED.includes(body.status),
      );
      const cancelled = await client.write("POST", `/v1/deployments/${id}/cancel`);
      // A deployment that has already ended cannot be cancelled.
      assert.ok(cancelled.status < 300 || cancelled.status === 409, JSON.stringify(cancelled.body));
    }
    if (isLast) customer.live = { text, services: hasThird ? 3 : 2, deploymentId: id };
  }
  for (const id of started) {
    const { body } = await client.until(
      `/v1/deployments/${id}`,
      `deployment ${id} ends`,
      ({ body }) => body.endedAt !== null && ENDED.includes(body.status),
    );
    const allowed = id === started.at(-1) ? ["SUCCESS"] : ["SUCCESS", "SUPERSEDED", "CANCELLED"];
    assert.ok(allowed.includes(body.status), `deployment ${id} ended as ${JSON.stringify(body)}`);
    deployments.set(id, body.status);
  }
}

async function approve(client: PatientClient, id: string): Promise<void> {
  await client.until(
    `/v1/deployments/${id}`,
    `deployment ${id} asks for an approval`,
    ({ body }) => body.status === "PENDING_APPROVAL" || ENDED.includes(body.status),
  );
  const decision = { isBypass: true, comment: "No other admin is there." };
  const approved = await client.write("POST", `/v1/deployments/${id}/approve`, decision);
  // It may have been superseded while it waited.
  assert.ok(approved.status < 300 || approved.status === 409, JSON.stringify(approved.body));
}

/**
 * Every service shows the same text, so that a service with an older commit is noticed.
 * @param lingersAt is slow there, so that it can be cancelled
 */
function filesOf(text: string, hasThird: boolean, lingersAt: Stage | null): Files {
  const site = (id: string) => ({ id, type: "static", outputDirectory: "public" });
  const api = {
    id: "api",
    type: "web",
    ...(lingersAt === "BUILDING" ? { buildCommand: "sleep 20" } : {}),
    startCommand: lingersAt === "DEPLOYING" ? "sleep 20 && node server.js" : "node server.js",
    healthCheckPath: "/",
    port: 3000,
  };
  const services = [api, site("web"), ...(hasThird ? [site("third")] : [])];
  return withConfig(configOf(services), {
    "public/index.html": text,
    "server.js": `require("node:http").createServer((request, response) => response.end(${JSON.stringify(text)}))
      .listen(process.env.PORT, "127.0.0.1");`,
  });
}

/** Every breach of one customer at this moment. */
export async function checkDeploying(
  client: PatientClient,
  { projectId, deployments, live }: Deploying,
  services: PlatformState,
): Promise<string[]> {
  const breaches: string[] = [];
  for (const [id, status] of deployments) {
    const { body } = await client.read(`/v1/deployments/${id}`);
    if (body?.status !== status)
      breaches.push(`Deployment ${id} is ${body?.status ?? "gone"} after it was ${status}.`);
  }
  const listed = await client.read(`/v1/deployments?projectId=${projectId}&limit=100`);
  for (const { id } of listed.body.deployments as { id: string }[]) {
    if (!deployments.has(id)) breaches.push(`Deployment ${id} exists, though no customer received its id.`);
  }
  if (live === null) return breaches;
  if (services.length !== live.services)
    breaches.push(`The platform has ${services.length} services instead of ${live.services}.`);
  for (const { serviceId, builds, releases } of services) {
    const running = releases.filter(({ status }) => status === "LIVE" || status === "STARTING");
    const [only] = running;
    if (running.length !== 1 || only?.status !== "LIVE")
      breaches.push(`${running.length} releases of ${serviceId} are live or starting.`);
    else if (only.token !== `${live.deploymentId}-${serviceId}`)
      breaches.push(`${serviceId} runs ${only.token} instead of ${live.deploymentId}.`);
    else if (only.url !== null) {
      const said = await (await fetch(only.url)).text();
      if (said !== live.text) breaches.push(`${serviceId} says ${said} instead of ${live.text}.`);
    }
    if (builds.some(({ status }) => status === "RUNNING")) breaches.push(`${serviceId} is still built.`);
    const tokens = releases.map(({ token }) => token);
    if (new Set(tokens).size !== tokens.length) breaches.push(`${serviceId} has a release twice.`);
  }
  return breaches;
}

/**
 * Processes and folders that belong to nothing that is live. Each customer has one service that is a process.
 * @param dataDir holds the sandbox's folder
 */
export function findPlatformLeftovers(dataDir: string, customers: readonly Deploying[]): string[] {
  const breaches: string[] = [];
  const platform = path.join(dataDir, "sandbox", "platform");
  const wanted = customers.filter(({ live }) => live !== null).length;
  const releases = readdirSync(path.join(platform, "releases"));
  if (releases.length !== wanted)
    breaches.push(`There are ${releases.length} folders of releases for ${wanted} live processes.`);
  const running = foldersOfProcesses(path.join(platform, "releases"));
  if (running.join() !== releases.toSorted().join())
    breaches.push(`Processes run in ${running.join(", ")}, the releases are ${releases.join(", ")}.`);
  const building = foldersOfProcesses(path.join(platform, "builds"));
  if (building.length > 0) breaches.push(`Processes of builds are left: ${building.join(", ")}.`);
  const most = customers.reduce((sum, { live }) => sum + (live?.services ?? 0), 0) * MOST_ARTIFACTS;
  const artifacts = readdirSync(path.join(platform, "builds"));
  if (artifacts.length > most)
    breaches.push(`${artifacts.length} folders of builds, at most ${most} belong to something.`);
  return breaches;
}

/** The folders directly below one in which processes of this machine run, each once. */
function foldersOfProcesses(folder: string): string[] {
  const found = listProcessesIn(folder).map((running) => running.folder.split(path.sep)[0] ?? "");
  return [...new Set(found)].sort();
}
