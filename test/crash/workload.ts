/** What customers do all day, each in an account of their own, with a record of all that they were told. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Project } from "../helpers/scenario.ts";
import type { PatientClient } from "./clients.ts";
import type { Random } from "./random.ts";
import { SANDBOX_SECRET } from "./rig.ts";

export type KeptGroup = { readonly id: string; readonly domains: readonly string[] };

/** What must be so in the end, by all that one customer was told. */
export type Expected = {
  readonly project: Project;
  /** Groups that were created and not deleted, with the names that they were left with. */
  readonly groups: Map<string, KeptGroup>;
  readonly deletedGroups: string[];
  /** The newest acknowledged value by name and kind; null when its deletion was acknowledged. */
  readonly values: Map<string, { readonly value: string | null; readonly writes: number }>;
  /** Connections that were told to be CONNECTED. */
  readonly connections: string[];
};

export type Customer = { readonly expected: Expected; readonly done: Promise<void> };

export type Surroundings = {
  readonly client: PatientClient;
  readonly sandboxUrl: string;
  readonly random: Random;
  /** The customers finish what they are at, and stop. */
  readonly stopping: AbortSignal;
};

export type Part = "domains" | "variables" | "accounts";

export function startCustomer(part: Part, project: Project, around: Surroundings): Customer {
  const expected: Expected = {
    project,
    groups: new Map(),
    deletedGroups: [],
    values: new Map(),
    connections: [project.awsAccountId],
  };
  const rounds = { domains: domainRound, variables: variableRound, accounts: accountRound };
  const work = async (): Promise<void> => {
    for (let round = 1; !around.stopping.aborted; round += 1) await rounds[part](expected, around, round);
  };
  return { expected, done: work() };
}

/** A group gets its first name served, then a second, loses the first, and often goes altogether. */
async function domainRound(expected: Expected, around: Surroundings, round: number): Promise<void> {
  const { client, random } = around;
  const { project, groups } = expected;
  const service = project.services["web"] ?? "";
  const zone = `r${String(round)}-${service.slice(-10)}.example.com`;
  const [first, second] = [`one.${zone}`, `two.${zone}`];
  const created = await client.write("POST", `/v1/services/${service}/domain-certificate-groups`, {
    domains: [first],
    useDefaultCdn: false,
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const groupId: string = created.body.id;
  const group = `/v1/domain-certificate-groups/${groupId}`;
  groups.set(groupId, { id: groupId, domains: [first] });
  const firstId = await attach(around, group, first);
  if (random.next() < 0.7) {
    const added = await client.write("POST", `${group}/domains`, { domains: [second] });
    assert.ok(added.status < 300, JSON.stringify(added.body));
    groups.set(groupId, { id: groupId, domains: [first, second] });
    await attach(around, group, second);
    const removed = await client.write("DELETE", `${group}/domains/${firstId}`);
    assert.ok(removed.status < 300, JSON.stringify(removed.body));
    groups.set(groupId, { id: groupId, domains: [second] });
    await client.until(`/v1/domains/${firstId}`, `${first} is removed`, ({ status }) => status === 404);
  }
  if (random.next() < 0.6) {
    const deleted = await client.write("DELETE", group);
    assert.ok(deleted.status < 300, JSON.stringify(deleted.body));
    groups.delete(groupId);
    await client.until(group, `group ${groupId} is deleted`, ({ status }) => status === 404);
    expected.deletedGroups.push(groupId);
  }
}

/** Sets the records that a name asks for. @returns the domain's id once it is served */
async function attach({ client, sandboxUrl }: Surroundings, group: string, name: string): Promise<string> {
  const seen = new Set<string>();
  const found = await client.until(`${group}/domains`, `${name} is listed`, ({ body }) =>
    body.domains.some((domain: { name: string }) => domain.name === name),
  );
  const { id } = found.body.domains.find((domain: { name: string }) => domain.name === name);
  for (;;) {
    const { body } = await client.until(
      `/v1/domains/${id}`,
      `${name} goes on`,
      ({ body }) =>
        body.status === "ATTACHED" ||
        body.dnsRecords?.some((record: { name: string }) => !seen.has(record.name)) === true,
    );
    if (body.status === "ATTACHED") return id;
    for (const record of body.dnsRecords) {
      await setRecord(sandboxUrl, record);
      seen.add(record.name);
    }
  }
}

async function setRecord(
  sandboxUrl: string,
  { name, type, value }: { name: string; type: string; value: string },
): Promise<void> {
  await askSandbox(sandboxUrl, "PUT", "/sandbox/dns/records", { name, type, values: [value] });
}

/** Calls the sandbox's own endpoints, again while it is down. */
export async function askSandbox(sandboxUrl: string, method: string, path: string, body?: object) {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await fetch(`${sandboxUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${SANDBOX_SECRET}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status >= 500) throw new TypeError(`The sandbox answered ${answer.status}.`);
      return text === "" ? null : JSON.parse(text);
    } catch (error) {
      if (tries > 300 || !(error instanceof TypeError)) throw error;
      await sleep(100);
    }
  }
}

/** Values of both kinds are written, overwritten before they arrive, and deleted. */
async function variableRound(expected: Expected, around: Surroundings, round: number): Promise<void> {
  const { client, random } = around;
  const { project, values } = expected;
  const path = `/v1/services/${project.services["web"]}/env-variables`;
  const name = `NAME_${random.below(3)}`;
  const kinds = { parameterStore: `P_${name}`, secretsManager: `S_${name}` };
  const runs: string[] = [];
  const times = 1 + random.below(3);
  for (let write = 1; write <= times; write += 1) {
    const value = `value-${round}-${write}`;
    const body = Object.fromEntries(Object.entries(kinds).map(([kind, key]) => [kind, { [key]: value }]));
    const sent = await client.write("POST", path, body);
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    runs.push(sent.body.runId);
    for (const key of Object.values(kinds)) {
      values.set(key, { value, writes: (values.get(key)?.writes ?? 0) + 1 });
    }
  }
  for (const runId of runs) {
    const { body } = await client.until(
      `${path}/status?runId=${runId}`,
      `run ${runId} ends`,
      ({ body }) => body.isFinished === true,
    );
    const failures = Object.values<{ code: string }>(body.failedEnvVariables);
    const others = failures.filter(({ code }) => code !== "SUPERSEDED");
    assert.deepEqual(others, [], `run ${runId} failed`);
    if (runId === runs.at(-1)) assert.equal(failures.length, 0, `the newest run ${runId} was superseded`);
  }
  if (random.next() < 0.3) {
    for (const key of Object.values(kinds)) {
      const deleted = await client.write("DELETE", `${path}/${key}`);
      assert.ok(deleted.status < 300, JSON.stringify(deleted.body));
      values.set(key, { value: null, writes: 0 });
    }
    await client.until(path, `${name} is removed`, ({ body }) =>
      Object.values(kinds).every(
        (key) => !body.envVariables.some((one: { name: string }) => one.name === key),
      ),
    );
  }
}

async function accountRound(expected: Expected, around: Surroundings, round: number): Promise<void> {
  const { client, sandboxUrl } = around;
  const givenId = `extra-${expected.project.projectId.slice(-8)}-${String(round)}`;
  const created = await client.write("POST", "/v1/aws-accounts", { givenId });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  await askSandbox(sandboxUrl, "POST", "/sandbox/stacks", { ServiceId: created.body.id });
  await client.until(
    `/v1/aws-accounts/${created.body.id}`,
    `${givenId} connects`,
    ({ body }) => body.status === "CONNECTED",
  );
  expected.connections.push(created.body.id);
  await sleep(500);
}
