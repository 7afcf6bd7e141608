/** Each change of a domain, its certificate and its group that concerns a user is emitted, once and in order. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { clearFaults, loseAccount, setFault } from "../helpers/customers/sandbox-account.ts";
import {
  attach,
  createGroup,
  createProject,
  type Project,
  proveDomain,
  setDnsRecords,
  untilDomain,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

type Told = {
  readonly type: string;
  readonly sequence: number;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly serviceId: string | null;
  readonly actor: { readonly kind: string };
  readonly subject: { readonly id: string; readonly url: string };
  // oxlint-disable-next-line typescript/no-explicit-any -- the test looks into data of every type
  readonly data: any;
};

describe("the events of custom domains", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "told");
  });
  after(() => instance.dispose());

  const eventsOf = async (subjectId: string): Promise<readonly Told[]> =>
    (await instance.admin.get(`/v1/events?limit=100&subjectId=${subjectId}`)).body.events;
  const untilTold = (subjectId: string, ...types: readonly string[]): Promise<readonly Told[]> =>
    until(
      async () => {
        const events = await eventsOf(subjectId);
        return types.every((type) => events.some((event) => event.type === type)) && events;
      },
      `${types.join(", ")} of ${subjectId}`,
    );
  /** Has the records checked until one was found or lost. */
  const untilChecked = (id: string, type: string): Promise<unknown> =>
    until(async () => {
      await instance.admin.post(`/v1/domains/${id}/check`);
      return words(await eventsOf(id)).includes(type);
    }, `${type} of ${id}`);
  const words = (events: readonly Told[]) =>
    events.map(({ type, data }) =>
      [type, data.record?.purpose, data.record?.status, data.warning?.code, data.error?.code]
        .filter((word) => word !== undefined)
        .join(" "),
    );

  it("show a domain's life from its creation to its end", async () => {
    const service = project.services["web"];
    const group = await createGroup(instance.admin, service, ["www.told.example.com"]);
    const { id } = group.createdDomains[0];
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    await setDnsRecords(instance.admin, { dnsRecords: waiting.dnsRecords.slice(0, 1) });
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    await setDnsRecords(instance.admin, attached);
    const verification = "domain.records_changed CERTIFICATE_DOMAIN_VERIFICATION";
    const connection = "domain.records_changed SERVICE_CONNECTION";
    await untilChecked(id, `${connection} OK`);
    const record = attached.dnsRecords.find(
      ({ purpose }: { purpose: string }) => purpose === "SERVICE_CONNECTION",
    );
    await instance.admin.delete("/sandbox/dns/records", { name: record.name, type: record.type });
    await untilChecked(id, "domain.warning_raised CONNECTION_RECORD_MISSING");
    await setDnsRecords(instance.admin, attached);
    await untilChecked(id, "domain.warning_resolved CONNECTION_RECORD_MISSING");
    const { certificate } = (await instance.admin.get(`/v1/domain-certificate-groups/${group.id}`)).body;
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`);
    const told = await untilTold(id, "domain.deleted");
    assert.deepEqual(words(told), [
      "domain.created",
      `${verification} PENDING`,
      `${connection} PENDING`,
      `${verification} OK`,
      "domain.attached",
      `${connection} OK`,
      `${connection} PENDING`,
      "domain.warning_raised CONNECTION_RECORD_MISSING",
      `${connection} OK`,
      "domain.warning_resolved CONNECTION_RECORD_MISSING",
      "domain.deleted",
    ]);
    const { environmentId, projectId } = project;
    for (const event of told) {
      assert.deepEqual(
        [event.projectId, event.environmentId, event.serviceId, event.data.name, event.data.groupId],
        [projectId, environmentId, service, "www.told.example.com", group.id],
      );
    }
    assert.deepEqual(
      told.map(({ actor }) => actor.kind),
      ["user", ...told.slice(1).map(() => "slipway")],
    );
    const [created, shown] = told;
    assert.equal(created?.subject.url, `${instance.url}/v1/domains/${id}`);
    assert.deepEqual(
      [shown?.data.record.name, shown?.data.record.value],
      [attached.dnsRecords[0].name, attached.dnsRecords[0].value],
    );
    const { body: ofCertificates } = await instance.admin.get("/v1/events?types=certificate.*");
    assert.deepEqual(
      ofCertificates.events.map(({ type, data }: Told) => [type, data.groupId, data.providerId]),
      [["certificate.issued", group.id, certificate.id]],
    );
    const ofGroup = await untilTold(group.id, "domain_group.deleted");
    assert.deepEqual(words(ofGroup), [
      "domain_group.activated",
      "domain_group.updated",
      "domain_group.deleted",
    ]);
    assert.equal(ofGroup[1]?.data.status, "DELETING");
  });

  it("say once that the deletion of a domain begins, while it is still served", async () => {
    const names = ["www.leaving.example.com", "www.staying.example.com"];
    const group = await attach(instance.admin, project.services["web"], names);
    await untilTold(group.id, "domain_group.activated");
    const [{ id }] = group.createdDomains;
    const path = `/v1/domain-certificate-groups/${group.id}/domains/${id}`;
    await setFault(instance.admin, "distributions.update", "throttled");
    try {
      for (let times = 0; times < 2; times += 1)
        assert.equal((await instance.admin.delete(path)).status, 202);
      await untilTold(group.id, "domain_group.updated");
      assert.equal(words(await eventsOf(id)).includes("domain.deleted"), false);
    } finally {
      await clearFaults(instance.admin);
    }
    await untilTold(id, "domain.deleted");
    const begun = words(await eventsOf(group.id)).filter((type) => type === "domain_group.updated");
    assert.equal(begun.length, 1);
  });

  it("say why a domain failed, and that its retry attached it", async () => {
    const name = "www.refused.example.org";
    const caa = { name: "refused.example.org", type: "CAA" };
    await instance.admin.put("/sandbox/dns/records", { ...caa, values: ['0 issue "other.example"'] });
    const group = await createGroup(instance.admin, project.services["web"], [name]);
    const { id } = group.createdDomains[0];
    await proveDomain(instance.admin, id);
    await untilDomain(instance.admin, id, "ERROR_ATTACHING");
    const [failed] = (await untilTold(id, "domain.attachment_failed")).filter(
      ({ type }) => type === "domain.attachment_failed",
    );
    assert.equal(failed?.data.error.code, "Cloud:CERT:Error:CAA_BLOCKED");
    assert.match(failed?.data.error.action, /./);
    assert.deepEqual(words(await untilTold(group.id, "domain_group.failed")), ["domain_group.failed"]);
    const { body: all } = await instance.admin.get("/v1/events?limit=100&types=certificate.failed");
    assert.deepEqual(
      all.events.map(({ data }: Told) => [data.groupId, data.reason]),
      [[group.id, "request"]],
    );
    await instance.admin.delete("/sandbox/dns/records", caa);
    await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/retry-attachment`);
    // The record of the new certificate may be set already.
    await until(async () => {
      await setDnsRecords(instance.admin, (await instance.admin.get(`/v1/domains/${id}`)).body);
      return (await eventsOf(id)).some(({ type }) => type === "domain.attached");
    }, "the retry attaches the domain");
    const retried = (await eventsOf(group.id)).find(({ type }) => type === "domain_group.updated");
    assert.equal(retried?.data.status, "PROVISIONING");
    assert.equal(retried.actor.kind, "user");
    await untilTold(group.id, "domain_group.activated");
  });

  it("say at once that a domain is deleted if the cloud has nothing of it", async () => {
    const group = await createGroup(instance.admin, project.services["web"], ["www.brief.example.com"], true);
    const { id } = group.createdDomains[0];
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    const told = await untilTold(id, "domain.deleted");
    assert.equal(told.filter(({ type }) => type === "domain.deleted").length, 1);
    const ofGroup = await untilTold(group.id, "domain_group.deleted");
    assert.equal(ofGroup.filter(({ type }) => type === "domain_group.deleted").length, 1);
  });

  it("say that a group was abandoned", async () => {
    const lost = await createProject(instance.admin, "abandoned");
    const group = await attach(instance.admin, lost.services["web"], ["www.abandoned.example.com"]);
    await loseAccount(instance.admin, lost.awsAccountId);
    const abandoned = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/abandon`);
    assert.equal(abandoned.status, 200, abandoned.text);
    const told = await untilTold(group.id, "domain_group.abandoned");
    assert.deepEqual(words(told), ["domain_group.activated", "domain_group.abandoned"]);
    await untilTold(group.createdDomains[0].id, "domain.deleted");
  });
});
