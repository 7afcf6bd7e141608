/** What customers do all day, each in a separate account, with a record of all answers that they got. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../helpers/api-client.ts";
import { CONFIG, createProject, DEMO_REPOSITORY } from "../../helpers/customers/scenario.ts";
import { accessRound, findBreachesOfAccess, noAccessChanges, toldOfAccess } from "./access.ts";
import { changeRound, noChanges } from "./changing-project.ts";
import type { PatientClient } from "./clients.ts";
import { checkDeploying, type Deploying, deployRound, startDeploying } from "./deploying-customer.ts";
import {
  type CountStragglers,
  type Expected,
  findBreachesOf,
  type SandboxAccount,
  toldOf,
} from "./invariants.ts";
import { findBreachesOfData, keepRound, receivedOfData, startKeeping } from "./keeping-customer.ts";
import {
  findBreachesOfPreviews,
  previewRound,
  receivedOfPreviews,
  startPreviewing,
} from "./previewing-customer.ts";
import { type ReceivedEvents, receivedOfDeployment } from "./received-events.ts";
import type { Random } from "../random.ts";
import { askSandbox } from "../ask-sandbox.ts";

export type Customer = {
  readonly awsAccountId: string;
  readonly done: Promise<void>;
  /** Everything that differs from the customer's answers, in the API and in the account. */
  readonly check: (account: SandboxAccount) => Promise<readonly string[]>;
  /** Domain certificate groups that it made. */
  readonly groupCount: () => number;
  /** Null if the customer does not deploy. */
  readonly deploying: Deploying | null;
  readonly client: PatientClient;
  /** The events that must have been emitted, and the runs of values in them. */
  readonly told: () => { readonly subjects: readonly ReceivedEvents[]; readonly runs: readonly string[] };
};

export type Surroundings = {
  readonly client: PatientClient;
  readonly sandboxUrl: string;
  /** Holds the sandbox's folder. */
  readonly dataDir: string;
  readonly random: Random;
  /** Resolves when all customers are there; until then none works. */
  readonly begun: Promise<void>;
  /** The customers finish what they are at, and stop. */
  readonly stopping: AbortSignal;
  readonly countStragglers: CountStragglers;
};

const LONGEST_REST_MS = 2_000;
/** Beyond these, what a customer has made is deleted again. */
const MOST_GROUPS = 6;
const MOST_CONNECTIONS = 4;

export const PARTS = [
  "domains",
  "variables",
  "domains",
  "variables",
  "accounts",
  "domains",
  "deployments",
  "access",
  "previews",
  "data",
] as const;
export type Part = (typeof PARTS)[number];

/** @param api for what is made before anything dies */
export async function startCustomer(
  part: Part,
  name: string,
  api: ApiClient,
  around: Surroundings,
): Promise<Customer> {
  const { client } = around;
  const common = { groupCount: () => 0, deploying: null, client };
  if (part === "deployments") {
    const deploying = await startDeploying(api, around.dataDir, name);
    return {
      ...common,
      awsAccountId: deploying.awsAccountId,
      done: repeat(around, (round) => deployRound(deploying, around, round)),
      check: ({ services }) => checkDeploying(client, deploying, services),
      deploying,
      told: () => ({
        subjects: [...deploying.deployments].map(([id, status]) => receivedOfDeployment(id, status)),
        runs: [],
      }),
    };
  }
  if (part === "previews") {
    const previewing = await startPreviewing(api, around.dataDir, name);
    return {
      ...common,
      awsAccountId: previewing.awsAccountId,
      done: repeat(around, (round) => previewRound(previewing, around, round)),
      check: (account) => findBreachesOfPreviews(client, previewing, account),
      told: () => ({ subjects: receivedOfPreviews(previewing), runs: [] }),
    };
  }
  if (part === "data") {
    const keeping = await startKeeping(api);
    return {
      ...common,
      awsAccountId: keeping.awsAccountId,
      done: repeat(around, (round) => keepRound(keeping, around, round)),
      check: (account) => findBreachesOfData(client, keeping, account),
      told: () => ({ subjects: receivedOfData(keeping), runs: [] }),
    };
  }
  const project = await createProject(api, name);
  if (part === "access") {
    const changes = noAccessChanges();
    return {
      ...common,
      awsAccountId: project.awsAccountId,
      done: repeat(around, (round) => accessRound(client, project, changes, around.random, round)),
      check: () => findBreachesOfAccess(client, project, changes),
      told: () => ({ subjects: toldOfAccess(changes), runs: [] }),
    };
  }
  const expected: Expected = {
    project,
    groups: new Map(),
    deletedGroups: [],
    forgottenZones: [],
    values: new Map(),
    connections: [project.awsAccountId],
    deletedConnections: [],
    deletedProjects: [],
    changes: noChanges(),
    runs: [],
    redirected: [],
  };
  const rounds = { domains: domainRound, variables: variableRound, accounts: accountRound };
  return {
    ...common,
    awsAccountId: project.awsAccountId,
    done: repeat(around, (round) => rounds[part](expected, around, round)),
    check: (account) => findBreachesOf(client, expected, account, around.countStragglers),
    groupCount: () => expected.groups.size + expected.deletedGroups.length,
    told: () => ({ subjects: toldOf(expected), runs: expected.runs }),
  };
}

async function repeat(
  { begun, stopping, random }: Surroundings,
  work: (round: number) => Promise<void>,
): Promise<void> {
  await begun;
  for (let round = 1; !stopping.aborted; round += 1) {
    await work(round);
    // A machine has more to do than the customers of one.
    await sleep(random.below(LONGEST_REST_MS));
  }
}

/**
 * A group gets a name served, then a second that the first redirects to, loses the first, and is often deleted. At times
 * Slipway sets the records, in a zone of the account.
 */
async function domainRound(expected: Expected, around: Surroundings, round: number): Promise<void> {
  const { client, random, sandboxUrl } = around;
  const { project, groups } = expected;
  const service = project.services["web"] ?? "";
  const zone = `r${String(round)}-${service.slice(-10)}.example.com`;
  const [first, second] = [`one.${zone}`, `two.${zone}`];
  const autoDns = random.next() < 0.3;
  if (autoDns)
    await askSandbox(sandboxUrl, "POST", "/sandbox/zones", { ServiceId: project.awsAccountId, name: zone });
  const created = await client.write("POST", `/v1/services/${service}/domain-certificate-groups`, {
    domains: [first],
    useDefaultCdn: false,
    autoDns,
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const groupId: string = created.body.id;
  const group = `/v1/domain-certificate-groups/${groupId}`;
  const shareLinkId = await shareTwice(client, group);
  const kept = { id: groupId, shareLinkId };
  groups.set(groupId, { ...kept, domains: [first] });
  const firstId = await attach(around, group, first, autoDns);
  if (random.next() < 0.7) {
    const added = await client.write("POST", `${group}/domains`, { domains: [second] });
    assert.ok(added.status < 300, JSON.stringify(added.body));
    groups.set(groupId, { ...kept, domains: [first, second] });
    await attach(around, group, second, autoDns);
    await redirect(client, firstId, second);
    expected.redirected.push(firstId);
    const removed = await client.write("DELETE", `${group}/domains/${firstId}`);
    assert.ok(removed.status < 300, JSON.stringify(removed.body));
    groups.set(groupId, { ...kept, domains: [second] });
    await client.until(`/v1/domains/${firstId}`, `${first} is removed`, ({ status }) => status === 404);
  }
  if (groups.size > MOST_GROUPS || random.next() < 0.6) {
    const deleted = await client.write("DELETE", group);
    assert.ok(deleted.status < 300, JSON.stringify(deleted.body));
    groups.delete(groupId);
    await client.until(group, `group ${groupId} is deleted`, ({ status }) => status === 404);
    expected.deletedGroups.push(groupId);
    if (autoDns) expected.forgottenZones.push(zone);
  }
}

/** Creates two share links of a group, and revokes the first. @returns the id of the other */
async function shareTwice(client: PatientClient, group: string): Promise<string> {
  const ids: string[] = [];
  for (const expiresInDays of [1, 2]) {
    const made = await client.write("POST", `${group}/share-links`, { expiresInDays });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    ids.push(made.body.id);
  }
  const [revoked, kept = ""] = ids;
  const answer = await client.write("DELETE", `${group}/share-links/${revoked}`);
  assert.equal(answer.status, 204, JSON.stringify(answer.body));
  return kept;
}

/** Lets a domain redirect. Resolves when the edge was seen to do so. */
async function redirect(client: PatientClient, domainId: string, redirectTo: string): Promise<void> {
  const answer = await client.write("PATCH", `/v1/domains/${domainId}`, { redirectTo });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  await client.until(
    `/v1/domains/${domainId}`,
    `${domainId} redirects`,
    ({ body }) => body.redirectTo === redirectTo && body.redirectStatus === "SERVED",
  );
}

/** Sets the records that a name requires, unless Slipway does. @returns the domain's id once it is served */
async function attach(
  { client, sandboxUrl }: Surroundings,
  group: string,
  name: string,
  autoDns: boolean,
): Promise<string> {
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
        (!autoDns && body.dnsRecords?.some((record: { name: string }) => !seen.has(record.name)) === true),
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
    expected.runs.push(sent.body.runId);
    for (const key of Object.values(kinds)) {
      const { writes = 0, deletedAtMs = null } = values.get(key) ?? {};
      values.set(key, { value, writes: writes + 1, deletedAtMs });
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
      values.set(key, { value: null, writes: 0, deletedAtMs: performance.now() });
    }
    await client.until(path, `${name} is removed`, ({ body }) =>
      Object.values(kinds).every(
        (key) => !body.envVariables.some((one: { name: string }) => one.name === key),
      ),
    );
  }
}

/** A project is made in the customer's account and deleted again, with the distribution of its service. */
async function projectRound(expected: Expected, { client }: Surroundings, round: number): Promise<void> {
  const created = await client.write("POST", "/v1/projects", {
    name: `extra ${round}`,
    repoUrl: DEMO_REPOSITORY,
    awsAccountId: expected.project.awsAccountId,
    codeSource: { provider: "provider_a" },
    configType: "gui",
    config: CONFIG,
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const path = `/v1/projects/${created.body.id}`;
  const deleted = await client.write("DELETE", path);
  assert.ok(deleted.status === 202 || deleted.status === 204, JSON.stringify(deleted.body));
  if (deleted.status === 202) assert.equal(deleted.body.status, "DELETING");
  await client.until(path, `${created.body.id} is gone`, ({ status }) => status === 404);
  expected.deletedProjects.push(created.body.id);
}

async function accountRound(expected: Expected, around: Surroundings, round: number): Promise<void> {
  const { client, sandboxUrl, random } = around;
  if (round % 3 === 0) return await projectRound(expected, around, round);
  if (round % 3 === 1) {
    const { project, changes } = expected;
    return await changeRound(client, project.projectId, changes, random, round);
  }
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
  if (expected.connections.length <= MOST_CONNECTIONS) return;
  // The first is the project's own.
  const [oldest = ""] = expected.connections.splice(1, 1);
  const deleted = await client.write("DELETE", `/v1/aws-accounts/${oldest}`);
  assert.equal(deleted.status, 204, JSON.stringify(deleted.body));
  expected.deletedConnections.push(oldest);
}
