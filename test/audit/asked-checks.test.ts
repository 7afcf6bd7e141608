/** A12: a check requested by a client reports the present state of the DNS. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

type Shown = {
  readonly name: string;
  readonly zone: string;
  readonly value: string;
  readonly purpose: string;
  readonly lastPropagationCheckAt: string | null;
  readonly lastPropagationCheckError: { readonly code?: string } | null;
};

describe("POST /v1/domains/{id}/check", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "asked");
  });
  after(() => instance.dispose());

  it("A12: right after a record changed reports the change", async () => {
    const { admin } = instance;
    const groups = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
    const created = await admin.post(groups, { domains: ["www.asked.example.com"], useDefaultCdn: false });
    const domain = `/v1/domains/${created.body.createdDomains[0].id}`;
    const recordOf = async (): Promise<Shown | undefined> =>
      (await admin.get(domain)).body.dnsRecords.find(
        ({ purpose }: Shown) => purpose === "CERTIFICATE_DOMAIN_VERIFICATION",
      );
    /**
     * What a look found that began after the request: the first one, unless the record's turn came just before it, whose
     * look was planned already and asks less.
     */
    const check = async (expected: string): Promise<string | undefined> => {
      const { body } = await admin.get(domain);
      const before = body.dnsRecords[0]?.lastPropagationCheckAt ?? "";
      const askedAt = new Date().toISOString();
      assert.equal((await admin.post(`${domain}/check`)).status, 202);
      const looks = new Set<string>();
      return await until(async () => {
        const record = await recordOf();
        const at = record?.lastPropagationCheckAt ?? "";
        if (at <= before || at <= askedAt) return false;
        looks.add(at);
        const found = record?.lastPropagationCheckError?.code ?? "OK";
        return (found === expected || looks.size > 1) && found;
      }, "the check is done");
    };
    await until(
      async () => (await recordOf())?.lastPropagationCheckError?.code === "NOT_FOUND",
      "nothing is there",
    );
    const record = await recordOf();
    assert.ok(record !== undefined);
    // Set where the DNS panel appended the zone again, which is rarely checked unless a client requests it.
    const doubled = { name: `${record.name}.${record.zone}`, type: "CNAME" };
    // More rounds than one: a look happens to ask for it in one moment of ten seconds.
    for (let round = 0; round < 4; round += 1) {
      await admin.put("/sandbox/dns/records", { ...doubled, values: [record.value] });
      assert.equal(await check("ZONE_NAME_DOUBLED"), "ZONE_NAME_DOUBLED", `round ${round}`);
      await admin.delete("/sandbox/dns/records", doubled);
      assert.equal(await check("NOT_FOUND"), "NOT_FOUND", `round ${round}`);
    }
  });
});
