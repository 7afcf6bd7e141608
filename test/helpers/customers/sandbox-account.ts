/** The customer's account in the sandbox cloud: what is in it, what fails in it, and how it is lost. */
import assert from "node:assert/strict";
import type { ApiClient } from "../api-client.ts";
import { until } from "../until.ts";

/** The account of a connection, as its console shows it. */
export async function stateOf(client: ApiClient, awsAccountId: string) {
  const { body } = await client.get("/sandbox/state");
  return body.accounts.find(({ serviceId }: { serviceId: string }) => serviceId === awsAccountId);
}

/** Has an operation of the sandbox cloud fail in one way. */
export async function setFault(
  client: ApiClient,
  operation: string,
  kind: string,
  more: object = {},
): Promise<void> {
  const set = await client.put("/sandbox/faults", { operation, kind, ...more });
  assert.equal(set.status, 204, set.text);
}

/** Ends all faults. */
export async function clearFaults(client: ApiClient): Promise<void> {
  const cleared = await client.delete("/sandbox/faults");
  assert.equal(cleared.status, 204, cleared.text);
}

/** Loses an account, as if a customer had deleted the connection's stack; nothing works in it any longer. */
export async function loseAccount(client: ApiClient, awsAccountId: string): Promise<void> {
  assert.equal((await client.delete(`/sandbox/stacks/${awsAccountId}`)).status, 204);
  await client.post(`/v1/aws-accounts/${awsAccountId}/check`);
  await untilConnection(client, awsAccountId, "DISCONNECTED");
}

/** Makes the stack of a connection, as its customer does, and waits until it is connected. */
export async function createStack(client: ApiClient, awsAccountId: string): Promise<void> {
  const stack = await client.post("/sandbox/stacks", { ServiceId: awsAccountId });
  assert.equal(stack.status, 201, stack.text);
  await untilConnection(client, awsAccountId, "CONNECTED");
}

async function untilConnection(client: ApiClient, awsAccountId: string, status: string): Promise<void> {
  await until(
    async () => (await client.get(`/v1/aws-accounts/${awsAccountId}`)).body.status === status,
    `the account ${awsAccountId} becomes ${status}`,
  );
}
