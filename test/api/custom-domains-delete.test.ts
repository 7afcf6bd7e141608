/** Deletions of domains and groups: what is deleted at once, what is refused meanwhile, and what the cloud keeps. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { clearFaults, loseAccount, setFault } from "../helpers/customers/sandbox-account.ts";
import { attach, createGroup, createProject, untilDomain, untilGone } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("the deletion of custom domains", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const groupPath = (id: string) => `/v1/domain-certificate-groups/${id}`;
  const domainPath = (groupId: string, id: string) => `${groupPath(groupId)}/domains/${id}`;
  const get = async (path: string) => (await instance.admin.get(path)).body;

  it("deletes an emptied group on the default distribution at once, once for each key", async () => {
    const project = await createProject(instance.admin, "emptied");
    const group = await attach(instance.admin, project.services["web"], ["www.emptied.example.com"], true);
    const served = await get(groupPath(group.id));
    const [{ id }] = group.createdDomains;
    assert.equal((await instance.admin.delete(domainPath(group.id, id))).status, 202);
    await untilGone(instance.admin, `/v1/domains/${id}`);
    // The group is a draft again only when its certificate is deleted too.
    const emptied = await until(async () => {
      const now = await get(groupPath(group.id));
      return now.status === "DRAFT" && now;
    }, "the group is a draft again");
    assert.match(emptied.cdnDistributionId, /^E/);
    assert.deepEqual(
      [emptied.cdnDistributionId, emptied.cdnDomainName],
      [served.cdnDistributionId, served.cdnDomainName],
    );

    const ask = () => instance.admin.delete(groupPath(group.id), undefined, { "idempotency-key": "emptied" });
    const first = await ask();
    assert.equal(first.status, 204, JSON.stringify(first.body));
    assert.equal((await instance.admin.get(groupPath(group.id))).status, 404);
    const again = await ask();
    assert.equal(again.status, 204);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    const audit = await get(`/v1/audit-entries?resourceId=${group.id}&order=desc`);
    assert.equal(audit.auditEntries[0].action, "domain-certificate-group.deleted");
  });

  it("deletes at once what the cloud never had, and frees its names", async () => {
    const project = await createProject(instance.admin, "unheard");
    await until(
      async () => (await get(`/v1/services/${project.services["web"]}`)).cdnDomainName,
      "the default distribution is made",
    );
    // A refused request makes no certificate, and the domains that wait for it are in error.
    await setFault(instance.admin, "certificates.request", "quota");
    const names = ["one.unheard.example.com", "two.unheard.example.com"];
    const group = await createGroup(instance.admin, project.services["web"], names, true);
    const [one, two] = group.createdDomains;
    await untilDomain(instance.admin, two.id, "ERROR_ATTACHING");
    const removed = await instance.admin.delete(domainPath(group.id, one.id));
    assert.equal(removed.status, 204, JSON.stringify(removed.body));
    assert.equal((await instance.admin.get(`/v1/domains/${one.id}`)).status, 404);
    const deleted = await instance.admin.delete(groupPath(group.id));
    assert.equal(deleted.status, 204, JSON.stringify(deleted.body));
    assert.equal((await instance.admin.get(`/v1/domains/${two.id}`)).status, 404);
    await createGroup(instance.admin, project.services["web"], names, true);
    await clearFaults(instance.admin);
  });

  it("stops a group from taking more domains", async () => {
    const project = await createProject(instance.admin, "closing");
    const group = await attach(instance.admin, project.services["web"], ["www.closing.example.com"]);
    await loseAccount(instance.admin, project.awsAccountId);
    const deleted = await instance.admin.delete(groupPath(group.id));
    assert.equal(deleted.status, 202);
    assert.equal(deleted.body.status, "DELETING");
    const added = await instance.admin.post(`${groupPath(group.id)}/domains`, {
      domains: ["api.closing.example.com"],
    });
    assertRefused(added, 409, "GROUP_DELETING");
    assert.match(added.body.detail, /Wait until it is deleted, and create a new one\.$/);
  });

  it("that the account refuses is shown on the domain, and a retry finishes it", async () => {
    const project = await createProject(instance.admin, "refused");
    const group = await attach(instance.admin, project.services["web"], ["www.refused.example.com"]);
    const [{ id }] = group.createdDomains;
    await setFault(instance.admin, "distributions.update", "denied");
    try {
      assert.equal((await instance.admin.delete(domainPath(group.id, id))).status, 202);
      const { lastAttachmentError } = await untilDomain(instance.admin, id, "ERROR_DETACHING");
      const { occurredAt, message, action, ...rest } = lastAttachmentError;
      assert.deepEqual(rest, { code: "Cloud:ACCOUNT:Error:ACCESS_DENIED", retryable: true });
      assert.ok(Date.parse(occurredAt) > 0);
      assert.ok(message.length > 10 && action.length > 10);
      const retried = await instance.admin.post(`${groupPath(group.id)}/retry-attachment`);
      assert.equal(retried.status, 200, JSON.stringify(retried.body));
      const [domain] = retried.body.domains;
      assert.deepEqual([domain.status, domain.lastAttachmentError], ["DETACHING", null]);
    } finally {
      await clearFaults(instance.admin);
    }
    await untilGone(instance.admin, `/v1/domains/${id}`);
  });
});
