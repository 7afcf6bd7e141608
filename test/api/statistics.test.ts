import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  attach,
  createGroup,
  createProject,
  DEMO_REPOSITORY,
  type Project,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { ended } from "../helpers/customers/deployments.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createKeyClient } from "../helpers/users.ts";

/** Only files, which the demo repository has. */
const SITE = {
  environments: [
    {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [{ id: "web", type: "static", outputDirectory: "public" }],
    },
  ],
};
const NONE = { attached: 0, inError: 0, awaitingRecords: 0, inProgress: 0 };
const COUNTS = { ...NONE, attached: 1, awaitingRecords: 1 };

describe("GET /v1/statistics", () => {
  let instance: Instance;
  let shop: Project;
  let empty: Project;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin } = instance;
    shop = await createProject(admin, "shop", SITE);
    empty = await createProject(admin, "empty");
    await attach(admin, shop.services["web"], ["www.statistics.example.com"]);
    const waiting = await createGroup(admin, shop.services["web"], ["new.statistics.example.com"]);
    await untilDomain(admin, waiting.createdDomains[0].id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const deployed = await admin.post("/v1/deployments", {
      repoUrl: DEMO_REPOSITORY,
      filter: { projectId: shop.projectId },
    });
    assert.equal(deployed.status, 201, deployed.text);
    await ended(admin, deployed.body.id);
  });
  after(() => instance.dispose());

  const read = async (client = instance.admin, query = "") => {
    const { status, body, text } = await client.get(`/v1/statistics${query}`);
    assert.equal(status, 200, text);
    return body;
  };

  it("counts domains, certificates and deployments", async () => {
    const { domains, certificateExpiry, deploymentDays } = await read();
    assert.deepEqual(domains, COUNTS);
    const [expiry, ...later] = certificateExpiry;
    assert.deepEqual([expiry.count, later], [1, []]);
    const monday = new Date(expiry.week);
    assert.equal(monday.getUTCDay(), 1);
    const { body: group } = await instance.admin.get(
      `/v1/services/${shop.services["web"]}/domain-certificate-groups`,
    );
    const expiresAt = Date.parse(group.domainCertificateGroups[0].certificate.expiresAt);
    assert.ok(expiresAt >= monday.getTime() && expiresAt < monday.getTime() + 7 * 86_400_000);
    const [day, ...others] = deploymentDays;
    const { succeeded, failed, stopped, unended, medianSeconds, maxSeconds } = day;
    assert.deepEqual([succeeded, failed, stopped, unended, others], [1, 0, 0, 0, []]);
    assert.ok(medianSeconds > 0 && medianSeconds === maxSeconds, JSON.stringify(day));
  });

  it("keeps the counts of the day", async () => {
    // A worker counts when it starts.
    instance = await instance.restart();
    const days = await until(async () => {
      const { domainDays } = await read();
      return domainDays.at(-1)?.attached === 1 && domainDays;
    }, "the domains are counted");
    const { day: _, ...counted } = days.at(-1);
    assert.deepEqual(counted, COUNTS);
  });

  it("shows a key only its projects, and another organization nothing", async () => {
    const own = await read(await createKeyClient(instance.admin, { projectIds: [shop.projectId] }));
    assert.deepEqual([own.domains, own.domainDays, own.certificateExpiry.length], [COUNTS, [], 1]);
    const nothing = { domains: NONE, domainDays: [], certificateExpiry: [], deploymentDays: [] };
    const limited = await createKeyClient(instance.admin, { projectIds: [empty.projectId] });
    assert.deepEqual(await read(limited), nothing);
    assert.deepEqual(await read(instance.other), nothing);
  });

  it("counts what is of one project", async () => {
    const own = await read(instance.admin, `?projectId=${shop.projectId}`);
    assert.deepEqual([own.domains, own.domainDays, own.deploymentDays.length], [COUNTS, [], 1]);
    const nothing = { domains: NONE, domainDays: [], certificateExpiry: [], deploymentDays: [] };
    assert.deepEqual(await read(instance.admin, `?projectId=${empty.projectId}`), nothing);
    const limited = await createKeyClient(instance.admin, { projectIds: [empty.projectId] });
    assertRefused(await limited.get(`/v1/statistics?projectId=${shop.projectId}`), 404, "NOT_FOUND");
  });

  it("refuses more days than a year has", async () => {
    assertRefused(await instance.admin.get("/v1/statistics?days=367"), 400, "INVALID_REQUEST");
    assert.equal((await instance.admin.get("/v1/statistics?days=1")).status, 200);
  });
});
