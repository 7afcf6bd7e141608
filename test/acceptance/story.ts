/** What a client does that follows the specification, from a connection to a deletion, on any cloud. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { ApiError, type Domain } from "../../sdk/src/index.ts";
import { until } from "../helpers/until.ts";
import type { Target } from "./target.ts";

const IN_TIME = { timeout: 60_000 };

/** New names each time, so that the suite can run again against the same instance. */
const run = randomBytes(4).toString("hex");
const DOMAIN = `www.${run}.example.com`;

/** Registers the story with node:test. */
export function describeStory(open: () => Promise<Target>): void {
  describe("a client that follows the specification", () => {
    let target: Target;
    before(async () => {
      target = await open();
    });
    after(() => target.dispose());

    let awsAccountId = "";
    let projectId = "";
    let environmentId = "";
    let serviceId = "";
    let groupId = "";
    let domainId = "";

    it("connects a cloud account by creating the stack", async () => {
      const { slipway } = target;
      const { data: created, response } = await slipway.awsAccounts
        .create({ givenId: `acme-${run}`, name: "Acme" })
        .withResponse();
      assert.equal(response.status, 201);
      assert.equal(response.headers.get("location"), `/v1/aws-accounts/${created.id}`);
      assert.equal(created.status, "AWAITING_CONNECTION");
      assert.equal(created.givenId, `acme-${run}`);
      assert.equal(created.name, "Acme");
      assert.ok(created.cloudStack.consoleUrl.includes(`param_ServiceId=${created.id}`));
      awsAccountId = created.id;
      await target.customer.connect(awsAccountId);
      await slipway.awsAccounts.waitUntilConnected(awsAccountId, IN_TIME);
    });

    it("creates a project with its environments and services from the repository's configuration", async () => {
      const { slipway, customer } = target;
      const { codeSource } = customer.repository;
      try {
        await slipway.gitIntegrations.create({ ...codeSource, token: "any" });
      } catch (error) {
        // An instance that these tests met before has one already.
        assert.ok(error instanceof ApiError && error.status === 409, String(error));
      }
      const { data: created, response } = await slipway.projects
        .create({
          name: `Shop ${run}`,
          repoUrl: `${customer.repository.url}.git`,
          awsAccountId,
          codeSource,
          configType: "iac",
          configFilePath: "slipway.json",
          configFileBranch: "main",
        })
        .withResponse();
      assert.equal(response.status, 201);
      projectId = created.id;
      const { environments } = await slipway.environments.list(projectId);
      environmentId = environments[0]?.id ?? "";
      const { services } = await slipway.services.list(environmentId);
      serviceId = services[0]?.id ?? "";
      assert.equal((await slipway.services.get(serviceId)).environmentId, environmentId);
    });

    it("starts a deployment of the branch's head and waits until it is SUCCESS", async () => {
      const { slipway, customer } = target;
      const { data: created, response } = await slipway.deployments
        .create({ repoUrl: customer.repository.url, filter: { projectId } })
        .withResponse();
      assert.equal(response.status, 201);
      assert.equal(created.projectId, projectId);
      assert.equal(created.branch, "main");
      assert.match(created.commit, /^[0-9a-f]{7}$/);
      const ended = await slipway.deployments.wait(created.id, IN_TIME);
      assert.equal(ended.status, "SUCCESS");
      assert.ok(Array.isArray((await slipway.deployments.getLogs(created.id)).lines));
    });

    it("adds plain variables at once, and managed ones by a run that it waits for", async () => {
      const { slipway } = target;
      const owner = { environmentId };
      const plain = await slipway.variables.set(owner, { plainText: { LOG_LEVEL: "debug" } }).withResponse();
      assert.equal(plain.response.status, 200);
      assert.deepEqual(plain.data, { status: "completed", savedCount: 1 });
      const secret = `secret-${run}`;
      const managed = await slipway.variables
        .set(owner, {
          plainText: { REGION: "west" },
          parameterStore: { API_TOKEN: secret },
          secretsManager: { DB_PASSWORD: secret },
        })
        .withResponse();
      assert.equal(managed.response.status, 202);
      assert.ok(managed.data.status === "processing");
      const { runId, ...counts } = managed.data;
      assert.deepEqual(counts, { status: "processing", savedCount: 1, processingCount: 2 });
      const finished = await slipway.variables.wait(owner, runId, IN_TIME);
      assert.equal(finished.processedEnvVariables, finished.totalExpectedEnvVars);
      assert.equal(typeof finished.storedEnvVariables["API_TOKEN"]?.fromParameterStore, "string");
      assert.equal(typeof finished.storedEnvVariables["DB_PASSWORD"]?.fromSecretsManager, "string");
      assert.ok(!JSON.stringify(await slipway.variables.list(owner)).includes(secret));
    });

    it("adds a domain, waits for its record, sets it and waits until it is ATTACHED", async () => {
      const { slipway } = target;
      const { data: created, response } = await slipway.domainGroups
        .create(serviceId, { domains: [DOMAIN], useDefaultCdn: true })
        .withResponse();
      assert.equal(response.status, 201);
      groupId = created.id;
      assert.equal(created.status, "DRAFT");
      assert.equal(created.isDefaultCdn, true);
      assert.equal(created.cdnDistributionId, null);
      assert.equal(created.certificate, null);
      assert.deepEqual(
        created.createdDomains.map(({ name }) => name),
        [DOMAIN],
      );
      domainId = created.createdDomains[0]?.id ?? "";
      const waiting = await slipway.domains.waitUntil(
        domainId,
        "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
        IN_TIME,
      );
      // The other record may be shown already; the specification sets this one first.
      const verifying = waiting.dnsRecords.filter(
        ({ purpose }) => purpose === "CERTIFICATE_DOMAIN_VERIFICATION",
      );
      assert.equal(verifying.length, 1);
      await setRecords({ ...waiting, dnsRecords: verifying });
      const attached = await slipway.domains.waitUntil(domainId, "ATTACHED", IN_TIME);
      assert.equal(attached.lastAttachmentError, null);
      assert.deepEqual(purposesOf(attached), ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"]);
      await setRecords(attached);
      await until(
        async () => {
          const { dnsRecords } = await slipway.domains.check(domainId);
          return dnsRecords.every(({ status }) => status === "OK");
        },
        "both records are seen in the DNS",
        IN_TIME.timeout,
      );
      const group = await slipway.domainGroups.waitUntilActive(groupId, IN_TIME);
      assert.equal(group.certificate?.status, "ISSUED");
      assert.notEqual(group.cdnDistributionId, null);
    });

    it("deletes the group, which answers 202, and it is deleted when its cloud resources are", async () => {
      const { slipway } = target;
      const { data: deleted, response } = await slipway.domainGroups.delete(groupId).withResponse();
      assert.equal(response.status, 202);
      assert.equal(deleted?.status, "DELETING");
      await slipway.domainGroups.waitUntilDeleted(groupId, IN_TIME);
      await assert.rejects(async () => await slipway.domains.get(domainId), { code: "NOT_FOUND" });
    });

    it("follows the events, which have every number", async () => {
      const { slipway } = target;
      let last = 0;
      for await (const { sequence } of slipway.events.list({ limit: 5 })) {
        assert.ok(last === 0 || sequence === last + 1, `${sequence} follows ${last}`);
        last = sequence;
      }
      const email = `${run}@example.com`;
      const { id } = await slipway.users.create({ name: "Ada", email, role: "viewer" });
      for await (const event of slipway.events.follow({ types: "user.*", after: String(last) })) {
        if (event.type !== "user.created" || event.subject.id !== id) continue;
        assert.equal(event.data.name, "Ada");
        break;
      }
      await slipway.users.delete(id);
    });

    async function setRecords({ dnsRecords }: Domain): Promise<void> {
      for (const record of dnsRecords) await target.customer.setRecord(record);
    }
  });
}

function purposesOf({ dnsRecords }: Domain): readonly string[] {
  return dnsRecords.map(({ purpose }) => purpose);
}
