/** Everything that may happen to a secret on its way to the customer's cloud, each with a separate value. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";
import { until } from "../helpers/until.ts";
import type { Canaries } from "./needles.ts";
import type { RecordingClient } from "./recording-client.ts";

export type StoryParts = {
  readonly client: RecordingClient;
  readonly project: Project;
  readonly canaries: Canaries;
};

export async function beginStory(client: RecordingClient, canaries: Canaries): Promise<StoryParts> {
  return { client, project: await createProject(client, `secrets-${randomUUID()}`), canaries };
}

export function variablesPath({ project }: StoryParts): string {
  return `/v1/services/${project.services["web"]}/env-variables`;
}

/** Sends managed values of both kinds. @returns the run's id */
export async function sendSecrets(
  parts: StoryParts,
  label: string,
  names: readonly string[],
): Promise<string> {
  const values = (kind: string) =>
    Object.fromEntries(names.map((name) => [`${name}_${kind}`, parts.canaries.make(`${label}-${kind}`)]));
  const sent = await parts.client.post(variablesPath(parts), {
    parameterStore: values("P"),
    secretsManager: values("S"),
  });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  return sent.body.runId;
}

export async function finishRun(parts: StoryParts, runId: string) {
  return await until(
    async () => {
      const { body } = await parts.client.get(`${variablesPath(parts)}/status?runId=${runId}`);
      return body?.isFinished === true && body;
    },
    `run ${runId} ends`,
    60_000,
  );
}

/** Success, a newer value, refusals of every kind, conflicts, wrong keys and broken connections. */
export async function playRequests(parts: StoryParts): Promise<void> {
  const { client, canaries, project } = parts;
  const path = variablesPath(parts);
  const first = await sendSecrets(parts, "success", ["ONE", "TWO"]);
  await finishRun(parts, first);
  const newer = await Promise.all([
    sendSecrets(parts, "overtaken", ["ONE"]),
    sendSecrets(parts, "newer", ["ONE"]),
  ]);
  for (const runId of newer) await finishRun(parts, runId);

  const secret = () => canaries.make("refused");
  const refused: readonly [number, unknown][] = [
    [400, { parameterStore: { LONG: secret() + "x".repeat(5_000) } }],
    [400, { parameterStore: { "BAD-NAME": secret() }, secretsManager: { ALSO: secret() } }],
    [400, { parameterStore: { OBJECT: { value: secret() } }, secretsManager: { LIST: [secret()] } }],
    [400, { parameterStore: { TWICE: secret() }, secretsManager: { TWICE: secret() } }],
    [400, { fromParameterStore: { REFERENCE: secret() }, fromSecretsManager: { REFERENCE2: secret() } }],
    [400, { fromService: { LINK: { id: secret(), value: secret() } } }],
    [400, { secretManager: { MISSPELT: secret() } }],
    [400, secret()],
    [400, [secret()]],
    [400, `{"secretsManager": {"CUT": ${JSON.stringify(secret())}`],
    [400, `{"secretsManager": {"TWICE": ${JSON.stringify(secret())}, "TWICE": ${JSON.stringify(secret())}}}`],
    [400, `{"secretsManager": {"SURROGATE": "${secret().replace(/[^a-z0-9]/g, "")}\\ud800"}}`],
    [400, `${'{"a":'.repeat(20)}${JSON.stringify(secret())}${"}".repeat(20)}`],
    [413, { secretsManager: { HUGE: secret() + "x".repeat(1_100_000) } }],
  ];
  for (const [status, body] of refused) {
    const sent = typeof body === "string" && body.startsWith("{") ? body : JSON.stringify(body);
    const answer = await client.post(path, sent, { "content-type": "application/json" });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
  }
  const asText = await client.post(path, secret(), { "content-type": "text/plain" });
  assert.equal(asText.status, 415);

  const key = { "idempotency-key": randomUUID() };
  const answers = await Promise.all(
    ["a", "b"].map((label) => client.post(path, { secretsManager: { ONCE: canaries.make(label) } }, key)),
  );
  const statuses = answers.map(({ status }) => status);
  assert.ok(
    statuses.includes(202) && statuses.some((status) => status === 409 || status === 422),
    statuses.join(),
  );

  for (const credential of [secret(), `slw_${secret()}`]) {
    const ascii = encodeURIComponent(credential);
    const wrongKey = await fetch(`${client.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${ascii}` },
    });
    assert.equal(wrongKey.status, 401);
    client.note(JSON.stringify([[...wrongKey.headers], await wrongKey.text()]));
  }

  const unconnected = await client.post("/v1/aws-accounts", { givenId: `unconnected-${randomUUID()}` });
  assert.equal(unconnected.status, 201);
  const integration = await client.post("/v1/git-integrations", {
    provider: "provider_b_self_hosted",
    host: "git.sandbox.test",
    token: encodeURIComponent(canaries.make("git-token")),
  });
  assert.ok([201, 422].includes(integration.status), JSON.stringify(integration.body));
  if (integration.status === 201) {
    const { id } = integration.body as { id: string };
    assert.equal((await client.post(`/v1/git-integrations/${id}/check`)).status, 200);
    assert.equal((await client.get(`/v1/git-integrations/${id}/repositories`)).status, 200);
  }
  const missing = await client.post("/v1/services/svc_missing/env-variables", {
    secretsManager: { A: secret() },
  });
  assert.equal(missing.status, 404);

  await playInBulk(parts);
  await breakOff(parts);
  await client.post(`/v1/environments/${project.environmentId}/env-variables`, {
    secretsManager: { FOR_ALL: canaries.make("environment") },
  });
  const removed = await client.delete(`${path}/TWO_S`);
  assert.equal(removed.status, 202, JSON.stringify(removed.body));
}

/** Dry runs, replacements, histories and what they refuse, in the environment. */
async function playInBulk({ client, canaries, project }: StoryParts): Promise<void> {
  const path = `/v1/environments/${project.environmentId}/env-variables`;
  const secrets = () => ({
    parameterStore: { BULK_P: canaries.make("bulk") },
    secretsManager: { BULK_S: canaries.make("bulk") },
  });
  const dry = await client.put(`${path}?dryRun=true`, secrets());
  assert.equal(dry.status, 200, dry.text);
  for (let round = 0; round < 2; round += 1) {
    const replaced = await client.put(path, secrets());
    assert.equal(replaced.status, 202, replaced.text);
    await until(
      async () => (await client.get(`${path}/status?runId=${replaced.body.runId}`)).body.isFinished,
      "the replacement ends",
    );
  }
  assert.equal((await client.post(`${path}?dryRun=true`, secrets())).status, 200);
  const history = await client.get(`${path}/BULK_S/history`);
  assert.equal(history.body.versions.length, 2, history.text);
  const [{ version }] = history.body.versions;
  const refused = await client.post(`${path}/BULK_S/restore`, { version });
  assert.equal(refused.status, 409, refused.text);
  const guessed = await client.post(`${path}/BULK_S/restore`, {
    version: canaries.make("version").slice(0, 90),
  });
  assert.equal(guessed.status, 400, guessed.text);
  assert.equal((await client.delete(`${path}?names=BULK_P,BULK_S`)).status, 200);
}

/** A request whose sender goes away in the middle, and two whose framing is wrong. */
async function breakOff(parts: StoryParts): Promise<void> {
  const { client, canaries } = parts;
  const body = JSON.stringify({ secretsManager: { HALF: canaries.make("half") } });
  const headers = { authorization: `Bearer ${client.key}`, "content-type": "application/json" };
  const line = `POST ${variablesPath(parts)}`;
  const whole = rawRequest(
    line,
    { ...headers, "content-length": String(Buffer.byteLength(body) + 100) },
    body,
  );
  const { hostname, port } = new URL(client.baseUrl);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => {
    socket.write(whole, () => resolve());
  });
  await sleep(50);
  socket.destroy();
  for (const framing of [
    { "transfer-encoding": "chunked" },
    {
      "content-length": String(Buffer.byteLength(body)),
      [canaries.make("header").replace(/[^a-z0-9]/g, "")]: "a\0b",
    },
  ]) {
    const answer = await sendRaw(client.baseUrl, rawRequest(line, { ...headers, ...framing }, body));
    assert.equal(answer.status, 400);
    client.note(JSON.stringify(answer));
  }
}

/** Each way in which the cloud can fail, with values on their way at the time. */
export async function playCloudFailures(parts: StoryParts): Promise<void> {
  const { client } = parts;
  const faults = [
    { kind: "denied", count: 1 },
    { kind: "quota", count: 1 },
    { kind: "server-error", count: 2 },
    { kind: "throttled", count: 2 },
    { kind: "lost-response", count: 2 },
  ];
  for (const fault of faults) {
    for (const operation of ["parameters.put", "secrets.put"])
      await client.put("/sandbox/faults", { operation, ...fault });
    const name = fault.kind.toUpperCase().replace("-", "_");
    await finishRun(parts, await sendSecrets(parts, fault.kind, [name]));
    // A denied call makes the connection suspect, which ends other runs; it is verified again first.
    await until(async () => {
      const { body } = await client.get(`/v1/aws-accounts/${parts.project.awsAccountId}`);
      return body.status === "CONNECTED";
    }, "the account is connected");
  }
  await client.delete("/sandbox/faults");
}

/** Leaves a run that waits for a cloud which does not answer. @returns the run's id */
export async function leaveWaiting(parts: StoryParts, label: string): Promise<string> {
  const { client } = parts;
  await client.put("/sandbox/faults", { operation: "*", kind: "timeout" });
  const before = await callsOf(parts);
  const runId = await sendSecrets(parts, label, ["WAITING"]);
  await until(async () => (await callsOf(parts)) > before, "the cloud is called without effect");
  return runId;
}

async function callsOf({ client, project }: StoryParts): Promise<number> {
  const { body } = await client.get("/sandbox/state");
  const account = body.accounts.find(
    ({ serviceId }: { serviceId: string }) => serviceId === project.awsAccountId,
  );
  return (account.calls["parameters.put"] ?? 0) + (account.calls["secrets.put"] ?? 0);
}
