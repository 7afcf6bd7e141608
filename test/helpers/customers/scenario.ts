import assert from "node:assert/strict";
import type { ApiClient } from "../api-client.ts";
import { createStack } from "./sandbox-account.ts";
import { until } from "../until.ts";

/** The configuration that most tests use: a static and an external service, and a worker. */
export const CONFIG = {
  environments: [
    {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "main", trigger: "manual" },
      services: [
        { id: "web", name: "Web", type: "static", outputDirectory: "public" },
        { id: "jobs", name: "Jobs", type: "worker", startCommand: "node worker.js" },
      ],
    },
  ],
};

export const DEMO_REPOSITORY = "https://git.sandbox.test/demo.git";

export const GIT_INTEGRATION = { provider: "provider_a", token: "any" };

export type Project = {
  readonly awsAccountId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** Service ids by their id in the configuration. */
  readonly services: Readonly<Record<string, string>>;
};

/** Connects a cloud account through the sandbox. @returns the connection's id */
export async function connectAccount(client: ApiClient, givenId: string): Promise<string> {
  const created = await client.post("/v1/aws-accounts", { givenId });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  await createStack(client, created.body.id);
  return created.body.id;
}

/** Makes the git integration of the sandbox's git host. */
export async function integrateGit(client: ApiClient): Promise<void> {
  const made = await client.post("/v1/git-integrations", GIT_INTEGRATION);
  assert.equal(made.status, 201, made.text);
}

/** A project on the sandbox's demo repository. */
export async function createProject(
  client: ApiClient,
  name: string,
  config: object = CONFIG,
): Promise<Project> {
  const awsAccountId = await connectAccount(client, `account-${name}`);
  // The second project of an organization finds one there.
  await client.post("/v1/git-integrations", GIT_INTEGRATION);
  const projectId = await createProjectIn(client, awsAccountId, name, config);
  const environments = await client.get(`/v1/projects/${projectId}/environments`);
  const environmentId = environments.body.environments[0].id;
  const services = await client.get(`/v1/environments/${environmentId}/services`);
  const byConfigId = services.body.services.map((service: { configId: string; id: string }) => [
    service.configId,
    service.id,
  ]);
  return {
    awsAccountId,
    projectId,
    environmentId,
    services: Object.fromEntries(byConfigId),
  };
}

/** A project of the demo's repository, where account and git integration are there. @returns its id */
export async function createProjectIn(
  client: ApiClient,
  awsAccountId: string,
  name: string,
  config: object,
): Promise<string> {
  const created = await client.post("/v1/projects", {
    name,
    repoUrl: DEMO_REPOSITORY,
    awsAccountId,
    codeSource: { provider: "provider_a" },
    configType: "gui",
    config,
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.id;
}

/** Sets in the sandbox's DNS every record that a domain requires. */
export async function setDnsRecords(
  client: ApiClient,
  domain: { dnsRecords: readonly { name: string; type: string; value: string }[] },
): Promise<void> {
  for (const { name, type, value } of domain.dnsRecords) {
    const set = await client.put("/sandbox/dns/records", { name, type, values: [value] });
    assert.equal(set.status, 204, JSON.stringify(set.body));
  }
}

/** Waits until a domain has one of some statuses, and returns it. */
export async function untilDomain(
  client: ApiClient,
  domainId: string,
  wanted: string | readonly string[],
  timeoutMs?: number,
) {
  const statuses = [wanted].flat();
  let last: unknown;
  try {
    return await until(
      async () => {
        const { body } = await client.get(`/v1/domains/${domainId}`);
        last = body;
        return statuses.includes(body.status) && body;
      },
      `domain ${domainId} becomes ${statuses.join(" or ")}`,
      timeoutMs,
    );
  } catch (error) {
    throw new Error(`Last seen: ${JSON.stringify(last)}`, { cause: error });
  }
}

/** Creates a group of domains for a service, by default on a separate distribution. @returns the answer's body */
export async function createGroup(
  client: ApiClient,
  serviceId: string | undefined,
  names: readonly string[],
  useDefaultCdn = false,
) {
  const path = `/v1/services/${String(serviceId)}/domain-certificate-groups`;
  const created = await client.post(path, { domains: names, useDefaultCdn });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** Waits until a domain has its first DNS records, and sets them. */
export async function proveDomain(client: ApiClient, domainId: string): Promise<void> {
  const waiting = await untilDomain(client, domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  // The connection record proves nothing, and only one organization can set it.
  const dnsRecords = waiting.dnsRecords.filter(
    ({ purpose }: { purpose: string }) => purpose !== "SERVICE_CONNECTION",
  );
  await setDnsRecords(client, { ...waiting, dnsRecords });
}

/** Creates a group like `createGroup`, and waits until all its domains are attached. @returns the group as it was created */
export async function attach(
  client: ApiClient,
  serviceId: string | undefined,
  names: readonly string[],
  useDefaultCdn = false,
) {
  const group = await createGroup(client, serviceId, names, useDefaultCdn);
  for (const { id } of group.createdDomains) await proveDomain(client, id);
  for (const { id } of group.createdDomains) await untilDomain(client, id, "ATTACHED");
  return group;
}

/** Waits until what a path named is deleted. */
export async function untilGone(client: ApiClient, path: string, timeoutMs?: number): Promise<void> {
  await until(async () => (await client.get(path)).status === 404, `${path} is gone`, timeoutMs);
}
