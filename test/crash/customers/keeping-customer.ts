/**
 * A customer who keeps data: each project has a data store of its own, commands run beside its worker, and it is
 * deleted again. The required end: each command ran once, and nothing of a project is left but its snapshots.
 */
import assert from "node:assert/strict";
import type { ApiClient } from "../../helpers/api-client.ts";
import { configOf } from "../../helpers/customers/deployments.ts";
import { connectAccount, DEMO_REPOSITORY, GIT_INTEGRATION } from "../../helpers/customers/scenario.ts";
import { type PatientClient, writeAccepted } from "./clients.ts";
import type { SandboxAccount } from "./invariants.ts";
import type { ReceivedEvents } from "./received-events.ts";

const ACCOUNT = "main-of-data";
const CONFIG = configOf([
  { id: "shell", type: "worker", startCommand: "sleep 1000" },
  { id: "cache", type: "redis", deletionProtection: false },
]);
/** What the command writes before its end. */
const WRITTEN = "It runs.";
const ENDS = ["SUCCEEDED", "FAILED", "CANCELLED"] as const;
/** The snapshot that was asked for, and the snapshot that is taken before the data store is deleted. */
const SNAPSHOTS = 2;

type Kept = {
  readonly projectId: string;
  readonly shell: string;
  readonly cache: string;
  /** How many commands ended so. */
  readonly ends: Readonly<Record<(typeof ENDS)[number], number>>;
  /** Whether the deletion of its snapshots was acknowledged. */
  isForgotten: boolean;
};

export type Keeping = {
  readonly awsAccountId: string;
  /** Projects whose deletion was acknowledged. */
  readonly kept: Kept[];
};

export async function startKeeping(client: ApiClient): Promise<Keeping> {
  const awsAccountId = await connectAccount(client, ACCOUNT);
  // The organization may have one already.
  await client.post("/v1/git-integrations", GIT_INTEGRATION);
  return { awsAccountId, kept: [] };
}

/** A project lives from its creation to the begin of its removal, which takes a minute. */
export async function keepRound(
  { kept }: Keeping,
  { client }: { readonly client: PatientClient },
  round: number,
): Promise<void> {
  const write = writeAccepted.bind(null, client);
  const { id: projectId } = await write("POST", "/v1/projects", {
    name: `data ${round}`,
    repoUrl: DEMO_REPOSITORY,
    awsAccountId: ACCOUNT,
    codeSource: { provider: "provider_a" },
    configType: "gui",
    config: CONFIG,
  });
  const project = `/v1/projects/${projectId}`;
  const deployment = await write("POST", "/v1/deployments", {
    repoUrl: DEMO_REPOSITORY,
    filter: { projectId },
  });
  const deployed = await client.until(
    `/v1/deployments/${deployment.id}`,
    `deployment ${deployment.id} ends`,
    ({ body }) => body.endedAt !== null,
  );
  assert.equal(deployed.body.status, "SUCCESS", JSON.stringify(deployed.body));
  const [{ id: environmentId }] = (await client.read(`${project}/environments`)).body.environments;
  const { services } = (await client.read(`/v1/environments/${environmentId}/services`)).body;
  const idOf = (configId: string): string =>
    services.find((service: { readonly configId: string }) => service.configId === configId)?.id;
  const [shell, cache] = [idOf("shell"), idOf("cache")];

  const ended = await Promise.all([run(client, shell, false), run(client, shell, true)]);
  const count = (end: string) => ended.filter((one) => one === end).length;
  const [SUCCEEDED, FAILED, CANCELLED] = [count("SUCCEEDED"), count("FAILED"), count("CANCELLED")];

  const taken = await write("POST", `/v1/services/${cache}/snapshots`);
  const snapshot = await client.until(
    `/v1/snapshots/${taken.id}`,
    `snapshot ${taken.id} is taken`,
    ({ body }) => body.status === "AVAILABLE" || body.status === "FAILED",
  );
  assert.equal(snapshot.body.status, "AVAILABLE", JSON.stringify(snapshot.body));
  await write("DELETE", project);
  const ends = { SUCCEEDED, FAILED, CANCELLED };
  kept.push({ projectId, shell, cache, ends, isForgotten: false });

  for (const one of kept) {
    if (one.isForgotten || (await client.read(`/v1/projects/${one.projectId}`)).status !== 404) continue;
    for (const { id } of await listSnapshots(client, one)) await write("DELETE", `/v1/snapshots/${id}`);
    one.isForgotten = true;
  }
}

/** Runs a command to its end. @param isCancelled while it runs @returns how it ended */
async function run(client: PatientClient, serviceId: string, isCancelled: boolean): Promise<string> {
  const command = isCancelled ? "sleep 100" : `echo ${WRITTEN}`;
  const { status, body } = await client.write("POST", `/v1/services/${serviceId}/runs`, { command });
  assert.equal(status, 201, JSON.stringify(body));
  const path = `/v1/executions/${body.id}`;
  if (isCancelled) {
    await client.until(
      path,
      `${body.id} runs`,
      (answer) => answer.body.status === "RUNNING" || answer.body.endedAt !== null,
    );
    const cancelled = await client.write("POST", `${path}/cancel`);
    // An execution that was killed with the sandbox has ended already.
    assert.ok(cancelled.status < 300 || cancelled.status === 409, JSON.stringify(cancelled.body));
  }
  const ended = (await client.until(path, `${body.id} ends`, (answer) => answer.body.endedAt !== null)).body;
  const expected = isCancelled ? "CANCELLED" : "SUCCEEDED";
  // The sandbox was killed while it ran: it is never run again.
  const isInterrupted = ended.status === "FAILED" && ended.error?.code === "INTERRUPTED";
  assert.ok(ended.status === expected || isInterrupted, JSON.stringify(ended));
  if (ended.status === "SUCCEEDED") {
    const { body: log } = await client.until(
      `${path}/logs`,
      `${body.id} has logs`,
      (one) => one.status === 200,
    );
    const written = log.lines.filter(({ text }: { readonly text: string }) => text === WRITTEN);
    assert.equal(written.length, 1, `${body.id}: ${JSON.stringify(log)}`);
  }
  return ended.status;
}

type Snapshot = { readonly id: string; readonly status: string };

async function listSnapshots(client: PatientClient, { projectId }: Kept): Promise<readonly Snapshot[]> {
  return (await client.read(`/v1/snapshots?projectId=${projectId}`)).body.snapshots;
}

/** Every breach at this moment; a removal that is under way shows as one too, and passes. */
export async function findBreachesOfData(
  client: PatientClient,
  { kept }: Keeping,
  { services }: SandboxAccount,
): Promise<string[]> {
  const breaches = services.map(({ serviceId }) => `The platform has ${serviceId} of a deleted project.`);
  for (const one of kept) {
    if ((await client.read(`/v1/projects/${one.projectId}`)).status !== 404)
      breaches.push(`Project ${one.projectId} is there.`);
    const found = await listSnapshots(client, one);
    const wanted = one.isForgotten ? 0 : SNAPSHOTS;
    if (found.length !== wanted || found.some(({ status }) => status !== "AVAILABLE"))
      breaches.push(`Project ${one.projectId} has the snapshots ${JSON.stringify(found)}, not ${wanted}.`);
  }
  return breaches;
}

export function receivedOfData({ kept }: Keeping): readonly ReceivedEvents[] {
  return kept.flatMap(({ shell, cache, ends }) => [
    {
      subjectId: shell,
      times: {
        "execution.created": ends.SUCCEEDED + ends.FAILED + ends.CANCELLED,
        "execution.succeeded": ends.SUCCEEDED,
        "execution.failed": ends.FAILED,
        "execution.cancelled": ends.CANCELLED,
      },
    },
    {
      subjectId: cache,
      times: {
        "data_store.created": 1,
        "data_store.deleted": 1,
        "snapshot.created": SNAPSHOTS,
        "snapshot.failed": 0,
      },
    },
  ]);
}
