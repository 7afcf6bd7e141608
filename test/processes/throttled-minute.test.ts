/** A cloud that refuses every call for a minute, as too many, in the middle of a burst of groups. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { clearFaults, setFault, stateOf } from "../helpers/customers/sandbox-account.ts";
import {
  createGroup,
  createProject,
  type Project,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const GROUPS = 30;
const MINUTE_MS = 60_000;
/**
 * The backoff leaves a group and its distribution nine steps each in a minute, each of one call that is sent four
 * times. Slots that were never at rest would make several times as many.
 */
const CALLS_OF_A_GROUP = 2 * 9 * 4;

describe("a minute in which the cloud throttles every call", () => {
  let dataDir: string;
  let service: ServiceProcess;
  let admin: ApiClient;
  let project: Project;

  before(async () => {
    dataDir = await makeTempDir("throttled");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    service = await startProcess({
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: ADMIN_KEY,
      SLIPWAY_LOG: "error",
    });
    admin = createApiClient(service.url, ADMIN_KEY);
    project = await createProject(admin, "throttled");
  });
  after(async () => {
    service.process.kill("SIGKILL");
    await service.ended;
    await rm(dataDir, { recursive: true, force: true });
  });

  const account = () => stateOf(admin, project.awsAccountId);
  const countCalls = async (): Promise<number> =>
    Object.values((await account()).calls as Record<string, number>).reduce((sum, count) => sum + count, 0);

  it("is answered with few calls, fails nothing for good, and delays no request", async () => {
    const serviceId = project.services["web"];
    const create = (index: number) => createGroup(admin, serviceId, [`www.throttled-${index}.example.com`]);
    const early = await Promise.all(Array.from({ length: GROUPS / 2 }, (_, index) => create(index)));
    await setFault(admin, "*", "throttled");
    const before = await countCalls();
    const endMs = performance.now() + MINUTE_MS;
    const late = await Promise.all(Array.from({ length: GROUPS / 2 }, (_, index) => create(GROUPS + index)));
    const domains = [...early, ...late].map(({ createdDomains }) => createdDomains[0]);
    await until(
      async () => {
        for (const { id } of domains.slice(0, 5)) {
          const { status, text } = await admin.get(`/v1/domains/${id}`);
          assert.equal(status, 200, text);
        }
        return performance.now() > endMs;
      },
      "the minute has passed",
      2 * MINUTE_MS,
    );
    const calls = (await countCalls()) - before;
    assert.ok(calls > 0 && calls <= GROUPS * CALLS_OF_A_GROUP, `${calls} calls`);
    await clearFaults(admin);

    for (const { id } of domains) {
      const waiting = await untilDomain(admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", 2 * MINUTE_MS);
      await setDnsRecords(admin, waiting);
    }
    for (const { id } of domains) await untilDomain(admin, id, "ATTACHED", 2 * MINUTE_MS);
    const { certificates, distributions } = await account();
    assert.equal(certificates.length, GROUPS);
    assert.equal(distributions.length, GROUPS + 1, "one each, and the service's own");
  });
});
