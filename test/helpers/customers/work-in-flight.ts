/** An installation in the middle of its work, which must continue wherever its database is brought. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ApiClient } from "../api-client.ts";
import { until } from "../until.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import { configOf, ended } from "./deployments.ts";
import { clearFaults, setFault, stateOf } from "./sandbox-account.ts";
import {
  createGroup,
  createProject,
  DEMO_REPOSITORY,
  type Project,
  setDnsRecords,
  untilDomain,
} from "./scenario.ts";

/** Every way of writing values down treats one of these differently. */
const PLAIN_VALUE = 'a "plain" value\n\\ ü, {} \t\u{1f6f6}';

const WEB = { id: "web", name: "Web", type: "static", outputDirectory: "public" };

export type WorkInFlight = {
  readonly project: Project;
  readonly domainId: string;
  readonly variables: string;
  readonly runId: string;
  readonly deploymentId: string;
  /** Its answer is stored, sealed: an API key. */
  readonly idempotencyKey: string;
  readonly storedKey: string;
  /** The user whose event was not delivered. */
  readonly userId: string;
  readonly webhookSecret: string;
};

/** Leaves a domain without its records, values and a deployment without an answer, and a webhook undelivered. */
export async function leaveInFlight(client: ApiClient, receiver: Receiver): Promise<WorkInFlight> {
  receiver.answer = (_received, response) => void response.writeHead(503).end("not now");
  const project = await createProject(client, "in-flight", configOf([WEB]));
  const hook = await client.post("/v1/webhook-endpoints", {
    url: receiver.url,
    types: ["project.*", "user.*"],
  });
  assert.equal(hook.status, 201, hook.text);
  const idempotencyKey = randomUUID();
  const stored = await storeOnce(client, idempotencyKey);
  assert.equal(stored.status, 201, stored.text);
  const group = await createGroup(client, project.services["web"], ["www.in-flight.example.com"]);
  const [{ id: domainId }] = group.createdDomains;
  await untilDomain(client, domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  const user = await client.post("/v1/users", {
    email: "a@in-flight.example.com",
    name: "A",
    role: "viewer",
  });
  assert.equal(user.status, 201, user.text);
  await until(() => receiver.received.length > 0, "a delivery is refused");

  for (const operation of ["parameters.put", "secrets.put", "builds.start"])
    await setFault(client, operation, "timeout");
  const variables = `/v1/environments/${project.environmentId}/env-variables`;
  const run = await client.post(variables, {
    plainText: { PLAIN: PLAIN_VALUE },
    parameterStore: { TOKEN: "t-1" },
    secretsManager: { PASSWORD: "p-1" },
  });
  assert.equal(run.status, 202, run.text);
  const deployment = await client.post("/v1/deployments", { repoUrl: DEMO_REPOSITORY });
  assert.equal(deployment.status, 201, deployment.text);
  await until(async () => {
    const { calls } = await stateOf(client, project.awsAccountId);
    return calls["parameters.put"] > 0 || calls["secrets.put"] > 0;
  }, "values are under way");
  return {
    project,
    domainId,
    variables,
    runId: run.body.runId,
    deploymentId: deployment.body.id,
    idempotencyKey,
    storedKey: stored.body.key,
    userId: user.body.id,
    webhookSecret: hook.body.secret,
  };
}

/** Lets all work continue, and waits until all of it has ended well. */
export async function finishInFlight(
  client: ApiClient,
  receiver: Receiver,
  work: WorkInFlight,
): Promise<void> {
  receiver.answer = (_received, response) => void response.writeHead(204).end();
  await clearFaults(client);
  await setDnsRecords(
    client,
    await untilDomain(client, work.domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET"),
  );
  assert.equal((await storeOnce(client, work.idempotencyKey)).body.key, work.storedKey);

  const run = await until(async () => {
    const { body } = await client.get(`${work.variables}/status?runId=${work.runId}`);
    return body.isFinished === true && body;
  }, "the run ends");
  assert.deepEqual(run.failedEnvVariables, {});
  assert.deepEqual(Object.keys(run.storedEnvVariables).toSorted(), ["PASSWORD", "TOKEN"]);
  const { body: listed } = await client.get(work.variables);
  const plain = listed.envVariables.find(({ name }: { name: string }) => name === "PLAIN");
  assert.equal(plain?.value, PLAIN_VALUE);
  await untilDomain(client, work.domainId, "ATTACHED");
  await ended(client, work.deploymentId);

  const added = await client.post("/v1/users", {
    email: "b@in-flight.example.com",
    name: "B",
    role: "viewer",
  });
  assert.equal(added.status, 201, added.text);
  const events = await until(async () => {
    const { body } = await client.get("/v1/events?limit=100");
    return subjectsOf(body.events).includes(added.body.id) && body.events;
  }, "the new user's event is numbered");
  assert.deepEqual(
    events.map(({ sequence }: { sequence: number }) => sequence),
    events.map((_: unknown, index: number) => index + 1),
    "events are numbered on without a gap",
  );
  await until(() => {
    const delivered = subjectsOf(receiver.received.map(({ event }) => event));
    return delivered.includes(work.userId) && delivered.includes(added.body.id);
  }, "the webhook has what it missed, and what is new");
  for (const received of receiver.received.slice(-1)) receiver.verify(received, work.webhookSecret);
}

function storeOnce(client: ApiClient, idempotencyKey: string) {
  return client.post("/v1/api-keys", { name: "stored" }, { "idempotency-key": idempotencyKey });
}

function subjectsOf(events: readonly { readonly subject: { readonly id: string } }[]): readonly string[] {
  return events.map(({ subject }) => subject.id);
}
