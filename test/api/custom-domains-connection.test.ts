import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import {
  createGroup,
  createProject,
  type Project,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

type ShownRecord = {
  readonly purpose: string;
  readonly status: string;
  readonly type: string;
  readonly name: string;
  readonly relativeName: string;
  readonly zone: string;
  readonly value: string;
  readonly setWhen: string;
  readonly lastPropagationCheckValue: string | null;
  readonly lastPropagationCheckError: { readonly code?: string; readonly message?: string } | null;
};
type Shown = {
  readonly status: string;
  readonly dnsRecords: readonly ShownRecord[];
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly action: string }[];
  readonly lastAttachmentError: { readonly code: string; readonly message: string; readonly action: string };
};

/** Audit 2: C5, D4, D6, D12. */
describe("the connection record of a domain", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "connection");
  });
  after(() => instance.dispose());

  const putRecord = (name: string, type: string, ...values: readonly string[]) =>
    instance.admin.put("/sandbox/dns/records", { name, type, values });
  const deleteRecord = (name: string, type: string) =>
    instance.admin.delete("/sandbox/dns/records", { name, type });
  async function createDomain(name: string): Promise<{ groupId: string; id: string }> {
    const group = await createGroup(instance.admin, project.services["web"], [name]);
    return { groupId: group.id, id: group.createdDomains[0].id };
  }
  async function untilShown<T>(id: string, look: (domain: Shown) => T | false | undefined, what: string) {
    return await until(async () => look((await instance.admin.post(`/v1/domains/${id}/check`)).body), what);
  }
  const connectionOf = ({ dnsRecords }: Shown) =>
    dnsRecords.find(({ purpose }) => purpose === "SERVICE_CONNECTION");
  const checkedConnectionOf = (domain: Shown) => {
    const record = connectionOf(domain);
    return record?.lastPropagationCheckError?.code === undefined ? undefined : record;
  };

  it("is shown with the verification record, to be set now where nothing is served", async () => {
    const { id } = await createDomain("www.free-owner.com");
    const connection = await untilShown(id, checkedConnectionOf, "the connection record is checked");
    assert.deepEqual([connection.type, connection.setWhen], ["CNAME", "NOW"]);
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    assert.deepEqual(
      waiting.dnsRecords.map(({ purpose }: ShownRecord) => purpose),
      ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"],
    );
    // The owner sets both in one visit, and is not asked again.
    await setDnsRecords(instance.admin, waiting);
    await untilDomain(instance.admin, id, "ATTACHED");
    const done = await untilShown(
      id,
      ({ dnsRecords }) => dnsRecords.every(({ status }) => status === "OK") && dnsRecords,
      "both are set",
    );
    assert.deepEqual(
      done.map(({ setWhen }) => setWhen),
      ["NOW", "NOW"],
    );
    const listed = await instance.admin.get(`/v1/projects/${project.projectId}/dns-records?limit=100`);
    assert.ok(listed.body.dnsRecords.every(({ setWhen }: ShownRecord) => setWhen === "NOW"));
  });

  it("is to be set now once the verification record ended the wildcard that answered for its name", async () => {
    await putRecord("*.wild-owner.com", "A", "192.0.2.10");
    const { id } = await createDomain("www.wild-owner.com");
    await untilShown(id, checkedConnectionOf, "the connection record is checked");
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const proof = waiting.dnsRecords.filter(({ purpose }: ShownRecord) => purpose !== "SERVICE_CONNECTION");
    await setDnsRecords(instance.admin, { dnsRecords: proof });
    const connection = await untilShown(
      id,
      (domain) => {
        const record = connectionOf(domain);
        return record?.lastPropagationCheckError?.code === "WILDCARD_ENDED" && record;
      },
      "the record says that the wildcard has ended",
    );
    assert.equal(connection.setWhen, "NOW");
    assert.match(
      connection.lastPropagationCheckError?.message ?? "",
      /the wildcard \*\.wild-owner\.com no longer answers for this name, .* Set a CNAME from www/,
    );
  });

  it("of a name that is served elsewhere is to be set after the certificate", async () => {
    await putRecord("www.served-owner.com", "A", "192.0.2.10");
    const { id } = await createDomain("www.served-owner.com");
    const before = await untilShown(id, checkedConnectionOf, "the connection record is checked");
    assert.equal(before.setWhen, "AFTER_CERTIFICATE");
    const listed = await instance.admin.get(`/v1/projects/${project.projectId}/dns-records?limit=100`);
    const own = listed.body.dnsRecords.filter(
      ({ domain }: { domain: string }) => domain === "www.served-owner.com",
    );
    assert.deepEqual(own.map(({ setWhen }: ShownRecord) => setWhen).toSorted(), ["AFTER_CERTIFICATE", "NOW"]);
    const waiting: Shown = (await instance.admin.get(`/v1/domains/${id}`)).body;
    const proof = waiting.dnsRecords.filter(({ purpose }) => purpose !== "SERVICE_CONNECTION");
    await setDnsRecords(instance.admin, { dnsRecords: proof });
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    assert.equal(connectionOf(attached)?.setWhen, "NOW");
  });

  it("moves a name whose CNAME's target has CAA records that refuse the certificate", async () => {
    const [name, target] = ["www.moving-owner.com", "shop.vendor-of-shops.net"];
    await putRecord(name, "CNAME", target);
    await putRecord(target, "CAA", '0 issue "letsencrypt.org"');
    const { id } = await createDomain(name);
    const shown = await untilShown(
      id,
      (domain) =>
        domain.warnings.some(({ action }) => action.includes(target)) &&
        connectionOf(domain)?.lastPropagationCheckError?.code === "WRONG_VALUE" &&
        domain,
      "the refusal of the target is shown",
    );
    const [warning] = shown.warnings;
    assert.equal(warning?.code, "CAA_REFUSES_CERTIFICATE");
    assert.match(warning.action, /is a CNAME to shop\.vendor-of-shops\.net, whose CAA records/);
    assert.match(warning.action, /set the SERVICE_CONNECTION record at www\.moving-owner\.com now/);
    assert.match(warning.action, /remove the CNAME at www\.moving-owner\.com until/);
    assert.match(warning.action, /ask the owner of shop\.vendor-of-shops\.net/);
    assert.ok(!shown.dnsRecords.some(({ type }) => type === "CAA"), "no record can be set beside the CNAME");
    assert.equal(connectionOf(shown)?.setWhen, "NOW");
    const listed = await instance.admin.get(`/v1/projects/${project.projectId}/dns-records?limit=100`);
    const own = listed.body.dnsRecords.filter(({ domain }: { domain: string }) => domain === name);
    assert.deepEqual(
      own.map(({ setWhen, type }: ShownRecord) => `${type} ${setWhen}`),
      ["CNAME NOW", "CNAME NOW"],
    );
    const found = await instance.admin.get("/v1/domains?warning=CAA_REFUSES_CERTIFICATE");
    assert.deepEqual(
      found.body.domains.map((domain: { name: string }) => domain.name),
      [name],
    );

    const connection = shown.dnsRecords.filter(({ purpose }) => purpose === "SERVICE_CONNECTION");
    await setDnsRecords(instance.admin, { dnsRecords: connection });
    await setDnsRecords(instance.admin, shown);
    await untilDomain(instance.admin, id, "ATTACHED");
    await untilShown(id, ({ warnings }) => warnings.length === 0, "nothing refuses any longer");
  });

  it("cannot be set beside CAA records, which move to the name above", async () => {
    const name = "www.caa-at-name.com";
    await putRecord(name, "CAA", '0 issue "letsencrypt.org"');
    const { id, groupId } = await createDomain(name);
    const shown = await untilShown(
      id,
      (domain) => {
        const caa = domain.dnsRecords.find(({ type }) => type === "CAA");
        return caa?.lastPropagationCheckError?.code === "CAA_REFUSES" && { caa, domain };
      },
      "the refusal is shown",
    );
    assert.deepEqual([shown.caa.name, shown.caa.value], ["caa-at-name.com", '0 issue "ca.sandbox.test"']);
    assert.match(
      shown.caa.lastPropagationCheckError?.message ?? "",
      /Move them from www\.caa-at-name\.com to caa-at-name\.com, because no CNAME can exist beside them/,
    );
    const proof = shown.domain.dnsRecords.filter(
      ({ type, purpose }) => type === "CNAME" && purpose !== "SERVICE_CONNECTION",
    );
    await setDnsRecords(instance.admin, { dnsRecords: proof });
    const failed = await untilDomain(instance.admin, id, "ERROR_ATTACHING");
    assert.match(
      failed.lastAttachmentError.action,
      /Move them from www\.caa-at-name\.com to caa-at-name\.com/,
    );

    // As it says: the set moves, and the CNAME takes its place.
    await putRecord("caa-at-name.com", "CAA", '0 issue "letsencrypt.org"', shown.caa.value);
    await deleteRecord(name, "CAA");
    const retried = await instance.admin.post(`/v1/domain-certificate-groups/${groupId}/retry-attachment`);
    assert.equal(retried.status, 200, retried.text);
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    await setDnsRecords(instance.admin, attached);
    await untilShown(
      id,
      ({ dnsRecords }) => dnsRecords.every(({ status }) => status === "OK"),
      "all records are right",
    );
  });

  it("is an ALIAS where the name is the top of a zone of its own, as long as it is one", async () => {
    const name = "apps.delegating-owner.com";
    const { id } = await createDomain(name);
    const cname = await untilShown(id, checkedConnectionOf, "the connection record is checked");
    assert.deepEqual([cname.type, cname.relativeName, cname.zone], ["CNAME", "apps", "delegating-owner.com"]);

    await putRecord(name, "NS", "ns1.dns.sandbox.test");
    const alias = await untilShown(
      id,
      (domain) => checkedConnectionOf(domain)?.type === "ALIAS" && checkedConnectionOf(domain),
      "the zone is seen",
    );
    assert.deepEqual([alias.relativeName, alias.zone, alias.name], ["@", name, name]);
    assert.doesNotMatch(alias.lastPropagationCheckError?.message ?? "", /CNAME from/);

    await deleteRecord(name, "NS");
    await untilShown(id, (domain) => connectionOf(domain)?.type === "CNAME", "the zone no longer exists");
  });
});
