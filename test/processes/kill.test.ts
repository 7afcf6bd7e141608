/**
 * The whole service is killed in the middle of its work, the sandbox cloud inside it too, and started again
 * on the same folder. Held answers of the cloud make sure that it is the middle: the work is done there and
 * Slipway does not know of it, or it is under way and nothing is done.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { setFault, stateOf } from "../helpers/customers/sandbox-account.ts";
import { createProject, type Project, setDnsRecords, untilDomain } from "../helpers/customers/scenario.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

describe("after kill -9 of the whole service", () => {
  let dataDir: string;
  let service: ServiceProcess;
  let admin: ApiClient;
  let project: Project;

  async function startService(): Promise<void> {
    service = await startProcess({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY });
    admin = createApiClient(service.url, ADMIN_KEY);
  }
  async function killAndRestart(): Promise<void> {
    service.process.kill("SIGKILL");
    assert.equal(await service.ended, "SIGKILL");
    await startService();
  }
  /** The customer's account, as its console shows it. */
  const account = () => stateOf(admin, project.awsAccountId);

  before(async () => {
    dataDir = await makeTempDir("kill");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    await startService();
    project = await createProject(admin, "killed");
  });
  after(async () => {
    service.process.kill("SIGKILL");
    await service.ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it("in the middle of a variable run, the run ends with one version of each value", async () => {
    const variables = `/v1/environments/${project.environmentId}/env-variables`;
    // The parameters arrive without an answer; the secrets hang on their way.
    await setFault(admin, "parameters.put", "lost-response");
    await setFault(admin, "secrets.put", "timeout");
    const accepted = await admin.post(variables, {
      parameterStore: { TOKEN: "t-1", URL: "u-1" },
      secretsManager: { PASSWORD: "p-1", KEY: "k-1" },
    });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    await until(async () => {
      const { parameters, calls } = await account();
      return parameters.length === 2 && calls["secrets.put"] >= 2;
    }, "the parameters are stored and the secrets under way");
    const status = `${variables}/status?runId=${accepted.body.runId}`;
    const before = (await admin.get(status)).body;
    assert.equal(before.isFinished, false);
    assert.deepEqual(before.storedEnvVariables, {});
    assert.deepEqual((await account()).secrets, []);

    await killAndRestart();

    const run = await until(async () => {
      const { body } = await admin.get(status);
      return body.isFinished === true && body;
    }, "the run ends");
    assert.deepEqual(run.failedEnvVariables, {});
    assert.deepEqual(Object.keys(run.storedEnvVariables).toSorted(), ["KEY", "PASSWORD", "TOKEN", "URL"]);
    const { parameters, secrets } = await account();
    const seen = [...parameters, ...secrets].map(({ name, value, versionCount }) => ({
      name: name.split("/").at(-1),
      value,
      versionCount,
    }));
    assert.deepEqual(
      seen.toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        { name: "KEY", value: "k-1", versionCount: 1 },
        { name: "PASSWORD", value: "p-1", versionCount: 1 },
        { name: "TOKEN", value: "t-1", versionCount: 1 },
        { name: "URL", value: "u-1", versionCount: 1 },
      ],
    );
  });

  it("in the middle of an attachment, the domain is served with one certificate on one distribution", async () => {
    const before = await account();
    await setFault(admin, "certificates.request", "lost-response");
    const group = await admin.post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
      domains: ["www.killed.example.com"],
    });
    assert.equal(group.status, 201, JSON.stringify(group.body));
    const [{ id }] = group.body.createdDomains;
    await until(async () => (await account()).certificates.length === 1, "the certificate is requested");
    const { body: creating } = await admin.get(`/v1/domains/${id}`);
    assert.deepEqual(creating.dnsRecords, [], "no client knows of the certificate yet");

    await killAndRestart();

    const waiting = await untilDomain(admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    assert.equal((await account()).certificates.length, 1);
    await setFault(admin, "distributions.update", "lost-response");
    await setDnsRecords(admin, waiting);
    await until(
      async () => JSON.stringify((await account()).distributions).includes("www.killed.example.com"),
      "the name is on the distribution",
    );
    const { body: attaching } = await admin.get(`/v1/domains/${id}`);
    assert.equal(attaching.status, "ATTACHING");

    await killAndRestart();

    await untilDomain(admin, id, "ATTACHED");
    const { certificates, distributions } = await account();
    assert.equal(certificates.length, 1);
    assert.equal(certificates[0].status, "ISSUED");
    assert.equal(certificates[0].inUse, true);
    assert.equal(distributions.length, before.distributions.length);
    const serving = distributions.filter(({ aliases }: { aliases: readonly string[] }) => aliases.length > 0);
    assert.equal(serving.length, 1);
    assert.deepEqual(serving[0].aliases, ["www.killed.example.com"]);
    assert.equal(serving[0].certificateId, certificates[0].id);
  });
});
