import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import {
  createGroup,
  createProject,
  type Project,
  proveDomain,
  untilDomain,
} from "../helpers/customers/scenario.ts";

/** Audit 2, D1: what concerns one name of a group was blamed on all of them. */
describe("a name that the provider refuses", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "blame");
  });
  after(() => instance.dispose());

  it("because of its CAA records is blamed, and the nine other names of its group are served", async () => {
    const caa = { name: "refusing-owner.com", type: "CAA", values: ['0 issue "letsencrypt.org"'] };
    await instance.admin.put("/sandbox/dns/records", caa);
    const others = Array.from({ length: 9 }, (_, index) => `www.owner-${index}.com`);
    const names = ["www.refusing-owner.com", ...others];
    const group = await createGroup(instance.admin, project.services["web"], names);
    for (const { id } of group.createdDomains) await proveDomain(instance.admin, id);
    const [refused, ...valid] = group.createdDomains;
    const failed = await untilDomain(instance.admin, refused.id, "ERROR_ATTACHING");
    assert.equal(failed.lastAttachmentError.code, "Cloud:CERT:Error:CAA_BLOCKED");
    assert.match(failed.lastAttachmentError.message, /The CAA records at refusing-owner\.com \(0 issue/);
    assert.doesNotMatch(failed.lastAttachmentError.action, /beside your own/);
    const asked = failed.dnsRecords.find(({ type }: { type: string }) => type === "CAA");
    assert.deepEqual([asked?.name, asked?.value], ["refusing-owner.com", '0 issue "ca.sandbox.test"']);
    for (const { id } of valid) {
      const domain = await untilDomain(instance.admin, id, ["ATTACHED", "ERROR_ATTACHING"]);
      assert.equal(domain.status, "ATTACHED", JSON.stringify(domain.lastAttachmentError));
    }
  });
});
