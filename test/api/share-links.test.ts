/** Links by which people without an account see which DNS records to set. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createGroup, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const DAY_MS = 24 * 60 * 60_000;

describe("share links", () => {
  let instance: Instance;
  let project: Project;
  let count = 0;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    project = await createProject(instance.admin, "shared");
  });
  after(() => instance.dispose());

  async function makeGroup(): Promise<string> {
    count += 1;
    const group = await createGroup(
      instance.admin,
      project.services["web"] ?? "",
      [`www.shared${count}.example.com`],
      false,
    );
    return group.id;
  }
  const linksOf = (groupId: string): string => `/v1/domain-certificate-groups/${groupId}/share-links`;
  async function share(groupId: string, body: object = {}) {
    const made = await instance.admin.post(linksOf(groupId), body);
    assert.equal(made.status, 201, made.text);
    return made.body as { readonly id: string; readonly url: string; readonly expiresAt: string };
  }

  it("work for seven days by default, and for thirty at most", async () => {
    const groupId = await makeGroup();
    const days = ({ expiresAt }: { readonly expiresAt: string }): number =>
      Math.round((Date.parse(expiresAt) - Date.now()) / DAY_MS);
    assert.equal(days(await share(groupId)), 7);
    assert.equal(days(await share(groupId, { expiresInDays: 30 })), 30);
    for (const expiresInDays of [0, 31, 1.5, "7"])
      assertRefused(await instance.admin.post(linksOf(groupId), { expiresInDays }), 400, "INVALID_REQUEST");
  });

  it("show their address once, and to a repeated request again", async () => {
    const groupId = await makeGroup();
    const headers = { "idempotency-key": "share-once" };
    const first = await instance.admin.post(linksOf(groupId), {}, headers);
    const { url, ...link } = first.body;
    assert.match(url, new RegExp(`^${instance.url}/share/[0-9A-Za-z]{27}$`));
    assert.equal((await instance.admin.post(linksOf(groupId), {}, headers)).text, first.text);
    const { body: list } = await instance.admin.get(linksOf(groupId));
    assert.deepEqual(list.shareLinks, [link]);
    assert.deepEqual((await instance.admin.get(`${linksOf(groupId)}/${link.id}`)).body, link);
    assert.equal(link.openedAt, null);
  });

  it("show the domains that they were created for, and others only once they are added", async () => {
    const [own, later, never] = ["www.shared-owner.com", "later.shared-owner.com", "never.shared-owner.com"];
    const service = project.services["web"] ?? "";
    const { id: groupId } = await createGroup(instance.admin, service, [own], false);
    const link = await share(groupId);
    const imported = await instance.admin.post(`/v1/services/${service}/domains/import`, {
      domains: [later],
    });
    assert.equal(imported.body.lines[0].domainCertificateGroupId, groupId);
    const added = await instance.admin.post(`/v1/domain-certificate-groups/${groupId}/domains`, {
      domains: [never],
    });
    assert.equal(added.status, 201, added.text);
    const path = `${linksOf(groupId)}/${link.id}`;
    const shownOn = async (url: string): Promise<string> => (await fetch(url)).text();
    assert.deepEqual((await instance.admin.get(path)).body.domains, [own]);
    for (const address of [link.url, `${link.url}/live`]) {
      const text = await shownOn(address);
      assert.ok(!text.includes(later) && !text.includes(never), address);
    }
    assert.ok((await shownOn(link.url)).includes(own));
    assert.deepEqual(
      (await instance.admin.get(`${linksOf(groupId)}/${(await share(groupId)).id}`)).body.domains,
      [own, later, never],
    );
    const changed = await instance.admin.patch(path, { domains: [own, " LATER.Shared-Owner.com"] });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body.domains, [own, later]);
    const text = await shownOn(link.url);
    assert.ok(text.includes(own) && text.includes(later) && !text.includes(never), text);
    const only = await share(groupId, { domains: [never] });
    assert.ok(!(await shownOn(only.url)).includes(own));
    for (const domains of [["elsewhere.example.com"], ["not a name"], []])
      assertRefused(await instance.admin.patch(path, { domains }), 400, "INVALID_REQUEST");
    const { body } = await instance.admin.get(
      `/v1/audit-entries?resourceId=${link.id}&action=share-link.updated`,
    );
    assert.deepEqual(body.auditEntries[0].details.after, { domains: `${own}, ${later}` });
    await until(async () => {
      const told = await instance.admin.get(`/v1/events?limit=100&subjectId=${groupId}`);
      return told.body.events.some(
        ({ type, data }: { type: string; data: { shareLinkId: string } }) =>
          type === "domain_group.share_link_updated" && data.shareLinkId === link.id,
      );
    }, "the event of the change");
  });

  it("belong only to their group, and end with it", async () => {
    const [groupId, otherId] = [await makeGroup(), await makeGroup()];
    const { id } = await share(groupId);
    const elsewhere = `${linksOf(otherId)}/${id}`;
    assertRefused(await instance.admin.get(elsewhere), 404, "NOT_FOUND");
    assertRefused(await instance.admin.delete(elsewhere), 404, "NOT_FOUND");
    assert.equal((await instance.admin.get(`${linksOf(groupId)}/${id}`)).status, 200);
    await instance.admin.delete(`/v1/domain-certificate-groups/${groupId}`);
    await until(
      async () => (await instance.admin.get(`${linksOf(groupId)}/${id}`)).status === 404,
      "the link is deleted with its group",
    );
  });

  it("are audited and emit events, without their address", async () => {
    const groupId = await makeGroup();
    const { id, url, expiresAt } = await share(groupId);
    const path = `${linksOf(groupId)}/${id}`;
    assert.equal((await instance.admin.delete(path)).status, 204);
    assertRefused(await instance.admin.delete(path), 404, "NOT_FOUND");
    const { body: audit, text: audited } = await instance.admin.get(`/v1/audit-entries?resourceId=${id}`);
    assert.deepEqual(audit.auditEntries.map(({ action }: { action: string }) => action).toSorted(), [
      "share-link.created",
      "share-link.revoked",
    ]);
    const { name } = (await instance.admin.get(`/v1/domain-certificate-groups/${groupId}`)).body;
    const types = ["domain_group.share_link_created", "domain_group.share_link_revoked"];
    const events = await until(async () => {
      const { body, text } = await instance.admin.get(`/v1/events?limit=100&subjectId=${groupId}`);
      const told = body.events.filter(({ type }: { type: string }) => types.includes(type));
      return told.length === types.length && { told, text };
    }, "both events");
    for (const { data } of events.told) assert.deepEqual(data, { name, shareLinkId: id, expiresAt });
    const token = url.slice(url.lastIndexOf("/") + 1);
    assert.ok(!`${audited}${events.text}`.includes(token));
  });
});
