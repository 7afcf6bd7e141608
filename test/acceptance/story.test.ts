import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { until } from "../helpers/until.ts";
import { openTarget, type Target } from "./target.ts";

const TIMEOUT_MS = 30_000;

/** New names each time, so that the suite can run again against the same instance. */
const run = randomBytes(4).toString("hex");
const DOMAIN = `www.${run}.example.com`;

describe("a client that follows the specification", () => {
  let target: Target;
  before(async () => {
    target = await openTarget();
  });
  after(() => target.dispose());

  let awsAccountId = "";
  let projectId = "";
  let environmentId = "";
  let serviceId = "";
  let groupId = "";
  let domainId = "";

  it("connects a cloud account by creating the stack", async () => {
    const { client } = target;
    const created = await client.post("/v1/aws-accounts", { givenId: `acme-${run}`, name: "Acme" });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal(created.headers.get("location"), `/v1/aws-accounts/${created.body.id}`);
    assert.equal(created.body.status, "AWAITING_CONNECTION");
    assert.equal(created.body.givenId, `acme-${run}`);
    assert.equal(created.body.name, "Acme");
    assert.ok(created.body.cloudStack.consoleUrl.includes(`param_ServiceId=${created.body.id}`));
    awsAccountId = created.body.id;
    const stack = await client.post("/sandbox/stacks", { ServiceId: awsAccountId });
    assert.equal(stack.status, 201, JSON.stringify(stack.body));
    await until(
      async () => (await client.get(`/v1/aws-accounts/${awsAccountId}`)).body.status === "CONNECTED",
      "the account is CONNECTED",
      TIMEOUT_MS,
    );
  });

  it("creates a project with its environments and services from the repository's configuration", async () => {
    const { client } = target;
    const integration = await client.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    // An instance that these tests met before has one already.
    assert.ok([201, 409].includes(integration.status), JSON.stringify(integration.body));
    const created = await client.post("/v1/projects", {
      name: `Shop ${run}`,
      repoUrl: "https://git.sandbox.test/demo.git",
      awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    projectId = created.body.id;
    const { body: environments } = await client.get(`/v1/projects/${projectId}/environments`);
    environmentId = environments.environments[0].id;
    const { body: services } = await client.get(`/v1/environments/${environmentId}/services`);
    serviceId = services.services[0].id;
    assert.equal((await client.get(`/v1/services/${serviceId}`)).body.environmentId, environmentId);
  });

  it("starts a deployment of the branch's head and polls until it is SUCCESS", async () => {
    const { client } = target;
    const created = await client.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/demo",
      filter: { projectId },
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal(created.body.projectId, projectId);
    assert.equal(created.body.branch, "main");
    assert.match(created.body.commit, /^[0-9a-f]{7}$/);
    const ended = await until(
      async () => {
        const { body } = await client.get(`/v1/deployments/${created.body.id}`);
        return /SUCCESS|ERROR|CANCELLED/.test(body.status) && body;
      },
      "the deployment ends",
      60_000,
    );
    assert.equal(ended.status, "SUCCESS", JSON.stringify(ended));
    const page = await client.get(`/v1/deployments/${created.body.id}/logs`);
    assert.equal(page.status, 200, JSON.stringify(page.body));
  });

  it("adds plain variables at once, and managed ones by a run that it polls", async () => {
    const { client } = target;
    const path = `/v1/environments/${environmentId}/env-variables`;
    const plain = await client.post(path, { plainText: { LOG_LEVEL: "debug" } });
    assert.equal(plain.status, 200, JSON.stringify(plain.body));
    assert.deepEqual(plain.body, { status: "completed", savedCount: 1 });
    const secret = `secret-${run}`;
    const managed = await client.post(path, {
      plainText: { REGION: "west" },
      parameterStore: { API_TOKEN: secret },
      secretsManager: { DB_PASSWORD: secret },
    });
    assert.equal(managed.status, 202, JSON.stringify(managed.body));
    const { runId, ...counts } = managed.body;
    assert.deepEqual(counts, { status: "processing", savedCount: 1, processingCount: 2 });
    const finished = await until(
      async () => {
        const { body } = await client.get(`${path}/status?runId=${runId}`);
        return body.isFinished && body;
      },
      "the run is finished",
      TIMEOUT_MS,
    );
    assert.equal(finished.processedEnvVariables, finished.totalExpectedEnvVars);
    assert.deepEqual(finished.failedEnvVariables, {});
    assert.equal(typeof finished.storedEnvVariables.API_TOKEN.fromParameterStore, "string");
    assert.equal(typeof finished.storedEnvVariables.DB_PASSWORD.fromSecretsManager, "string");
    assert.ok(!JSON.stringify((await client.get(path)).body).includes(secret));
  });

  it("adds a domain, polls for its record, sets it and polls until it is ATTACHED", async () => {
    const { client } = target;
    const created = await client.post(`/v1/services/${serviceId}/domain-certificate-groups`, {
      domains: [DOMAIN],
      useDefaultCdn: true,
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    groupId = created.body.id;
    assert.equal(created.body.status, "DRAFT");
    assert.equal(created.body.isDefaultCdn, true);
    assert.equal(created.body.cdnDistributionId, null);
    assert.equal(created.body.certificate, null);
    assert.deepEqual(
      created.body.createdDomains.map(({ name }: { name: string }) => name),
      [DOMAIN],
    );
    domainId = created.body.createdDomains[0].id;
    const waiting = await domainWhen("AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    assert.deepEqual(purposesOf(waiting), ["CERTIFICATE_DOMAIN_VERIFICATION"]);
    await setRecords(waiting);
    const attached = await domainWhen("ATTACHED");
    assert.equal(attached.lastAttachmentError, null);
    assert.deepEqual(purposesOf(attached), ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"]);
    await setRecords(attached);
    await until(
      async () => {
        const { body } = await client.post(`/v1/domains/${domainId}/check`);
        return body.dnsRecords.every((record: { status: string }) => record.status === "OK");
      },
      "both records are seen in the DNS",
      TIMEOUT_MS,
    );
    const group = await until(
      async () => {
        const { body } = await client.get(`/v1/domain-certificate-groups/${groupId}`);
        return body.status === "ACTIVE" && body;
      },
      "the group is ACTIVE",
      TIMEOUT_MS,
    );
    assert.equal(group.certificate.status, "ISSUED");
    assert.notEqual(group.cdnDistributionId, null);
  });

  it("deletes the group, which answers 202 and is gone when its cloud resources are", async () => {
    const { client } = target;
    const deleted = await client.delete(`/v1/domain-certificate-groups/${groupId}`);
    assert.equal(deleted.status, 202, JSON.stringify(deleted.body));
    assert.equal(deleted.body.status, "DELETING");
    await until(
      async () => (await client.get(`/v1/domain-certificate-groups/${groupId}`)).status === 404,
      "the group is gone",
      TIMEOUT_MS,
    );
    assert.equal((await client.get(`/v1/domains/${domainId}`)).status, 404);
  });

  async function domainWhen(status: string) {
    return await until(
      async () => {
        const { body } = await target.client.get(`/v1/domains/${domainId}`);
        return body.status === status && body;
      },
      `the domain is ${status}`,
      TIMEOUT_MS,
    );
  }

  async function setRecords(domain: {
    dnsRecords: readonly { name: string; type: string; value: string }[];
  }): Promise<void> {
    for (const { name, type, value } of domain.dnsRecords) {
      const set = await target.client.put("/sandbox/dns/records", { name, type, values: [value] });
      assert.equal(set.status, 204, JSON.stringify(set.body));
    }
  }
});

function purposesOf(domain: { dnsRecords: readonly { purpose: string }[] }): readonly string[] {
  return domain.dnsRecords.map(({ purpose }) => purpose);
}
