import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream/promises";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import {
  createGroup,
  createProject,
  type Project,
  proveDomain,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

type ShownRecord = {
  readonly purpose: string;
  readonly status: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly panelForm: { readonly type: string; readonly host: string; readonly value: string } | null;
  readonly lastPropagationCheckError: { readonly code?: string; readonly message?: string } | null;
};
type ShownDomain = {
  readonly dnsProvider: { readonly name: string | null } | null;
  readonly dnsRecords: readonly ShownRecord[];
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly action: string }[];
};

describe("the DNS records of a domain", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "records");
  });
  after(() => instance.dispose());

  async function createDomain(name: string): Promise<{ groupId: string; id: string }> {
    const group = await createGroup(instance.admin, project.services["web"], [name]);
    return { groupId: group.id, id: group.createdDomains[0].id };
  }

  /** Has the records looked at until the domain shows what is awaited. */
  async function untilShown<T>(
    id: string,
    look: (domain: ShownDomain) => T | false | undefined,
    what: string,
  ) {
    return await until(async () => {
      const { body } = await instance.admin.post(`/v1/domains/${id}/check`);
      return look(body);
    }, what);
  }
  const recordOf = ({ dnsRecords }: ShownDomain, purpose: string) =>
    dnsRecords.find((record) => record.purpose === purpose);
  const warningsOf = ({ warnings }: ShownDomain) => warnings.map(({ code }) => code).join();

  const setCaa = (name: string, values: readonly string[]) =>
    instance.admin.put("/sandbox/dns/records", { name, type: "CAA", values });
  const deleteRecord = ({ name, type }: { name: string; type: string }) =>
    instance.admin.delete("/sandbox/dns/records", { name, type });

  it("may be flattened to other addresses of the same distribution, which its edge answers for", async () => {
    const name = "flattened.com";
    const { edgePort } = instance.sandbox;
    // Another place of the edge.
    const place = createServer((socket) => {
      const edge = connect(edgePort, "127.0.0.1");
      pipeline(socket, edge, socket).catch(() => undefined);
    });
    place.listen(edgePort, "127.0.0.2");
    await once(place, "listening");
    try {
      const { id } = await createDomain(name);
      await proveDomain(instance.admin, id);
      await untilDomain(instance.admin, id, "ATTACHED");
      const connectionOf = (domain: ShownDomain) => recordOf(domain, "SERVICE_CONNECTION");
      const alias = await untilShown(id, connectionOf, "the connection record is shown");
      assert.equal(alias.type, "ALIAS");
      await deleteRecord(alias);
      const flatten = (...values: readonly string[]) =>
        instance.admin.put("/sandbox/dns/records", { name, type: "A", values });
      await flatten("127.0.0.2");
      await untilShown(id, (domain) => connectionOf(domain)?.status === "OK", "another place counts");
      await flatten("127.0.0.2", "127.0.0.3");
      const error = await untilShown(
        id,
        (domain) =>
          connectionOf(domain)?.lastPropagationCheckError?.code !== undefined && connectionOf(domain),
        "an address where nothing answers does not",
      );
      assert.match(
        error.lastPropagationCheckError?.message ?? "",
        /^Found 127\.0\.0\.3 at flattened\.com besides the addresses of /,
      );
    } finally {
      place.close();
    }
  });

  it("include the CAA record that lets the provider issue, only while it is refused", async () => {
    const refusing = '0 issue "other.example"';
    await setCaa("caa.example.org", [refusing]);
    const { groupId, id } = await createDomain("www.caa.example.org");
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const caa = await untilShown(
      id,
      (domain) => {
        const record = recordOf(domain, "CERTIFICATE_AUTHORITY_AUTHORIZATION");
        return record?.lastPropagationCheckError?.code === "CAA_REFUSES" && record;
      },
      "the CAA record is shown and checked",
    );
    assert.deepEqual(
      [caa.status, caa.type, caa.name, caa.value],
      ["PENDING", "CAA", "caa.example.org", '0 issue "ca.sandbox.test"'],
    );

    await setDnsRecords(instance.admin, waiting);
    const failed = await untilDomain(instance.admin, id, "ERROR_ATTACHING");
    assert.equal(failed.lastAttachmentError.code, "Cloud:CERT:Error:CAA_BLOCKED");
    assert.match(failed.lastAttachmentError.action, /CERTIFICATE_AUTHORITY_AUTHORIZATION/);

    await setCaa(caa.name, [refusing, caa.value]);
    await untilShown(
      id,
      (domain) => recordOf(domain, "CERTIFICATE_AUTHORITY_AUTHORIZATION")?.status === "OK",
      "the CAA record is OK",
    );
    const retried = await instance.admin.post(`/v1/domain-certificate-groups/${groupId}/retry-attachment`);
    assert.equal(retried.status, 200);
    await untilDomain(instance.admin, id, "ATTACHED");

    await setCaa(caa.name, [refusing]);
    await untilShown(
      id,
      (domain) => warningsOf(domain) === "CAA_REFUSES_RENEWAL",
      "the refusal is warned of",
    );
    await deleteRecord(caa);
    await untilShown(
      id,
      (domain) => recordOf(domain, "CERTIFICATE_AUTHORITY_AUTHORIZATION") === undefined,
      "the CAA record is not needed any more",
    );
    const warned = await until(async () => {
      const { body } = await instance.admin.get(
        `/v1/events?limit=100&subjectId=${id}&types=domain.warning_raised,domain.warning_resolved`,
      );
      return body.events.length >= 4 && body.events;
    }, "each warning has its event");
    assert.deepEqual(
      warned.map(({ type, data }: { type: string; data: { warning: { code: string } } }) => [
        type,
        data.warning.code,
      ]),
      ["CAA_REFUSES_CERTIFICATE", "CAA_REFUSES_RENEWAL"].flatMap((code) => [
        ["domain.warning_raised", code],
        ["domain.warning_resolved", code],
      ]),
    );
    assert.match(warned[0].data.warning.action, /Add a CAA record at caa\.example\.org/);
  });

  it("have the form of the panel of the zone's DNS provider, and are warned of before an apex is tried", async () => {
    const delegate = (...values: readonly string[]) =>
      instance.admin.put("/sandbox/dns/records", { name: "apex-panel.com", type: "NS", values });
    await delegate("ns61.domaincontrol.com", "ns62.domaincontrol.com");
    const { id } = await createDomain("apex-panel.com");
    assert.equal((await instance.admin.get(`/v1/domains/${id}`)).body.dnsProvider, null);
    const shown = await untilShown(id, (domain) => domain.dnsProvider !== null && domain, "its provider");
    assert.deepEqual(shown.dnsProvider, {
      name: "GoDaddy",
      nameServers: ["ns61.domaincontrol.com", "ns62.domaincontrol.com"],
      panelUrl: "https://dcc.godaddy.com/control/portfolio",
      quirks: ["ZONE_IS_APPENDED"],
      supports: { alias: false, domainConnect: null, caa: true },
    });
    assert.equal(warningsOf(shown), "APEX_NOT_SUPPORTED");
    const found = await instance.admin.get("/v1/domains?warning=APEX_NOT_SUPPORTED");
    assert.deepEqual(
      found.body.domains.map((domain: { id: string }) => domain.id),
      [id],
    );

    await delegate("ns-1.awsdns-01.com", "ns-2.awsdns-02.net");
    await untilShown(id, (domain) => domain.dnsProvider?.name === "Amazon Route 53", "the move is seen");
    await proveDomain(instance.admin, id);
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    assert.deepEqual(attached.warnings, []);
    const [verification, connection] = ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"].map(
      (purpose) => recordOf(attached, purpose),
    );
    assert.equal(verification?.panelForm, null);
    assert.deepEqual(connection?.panelForm, { type: "A", host: "", value: connection?.value });

    const { body } = await instance.admin.get(`/v1/events?limit=100&subjectId=${id}`);
    const told = body.events.filter(({ type }: { type: string }) => /warning|moved/.test(type));
    assert.deepEqual(
      told.map(({ type }: { type: string }) => type),
      ["domain.warning_raised", "domain.dns_moved", "domain.warning_resolved"],
    );
    const nameServers = ["ns-1.awsdns-01.com", "ns-2.awsdns-02.net"];
    assert.deepEqual(told[1].data.dns, { zone: "apex-panel.com", nameServers, provider: "Amazon Route 53" });
    assert.equal(told[1].data.previousDns.provider, "GoDaddy");
  });

  it("do not include a CAA record if the provider may issue", async () => {
    await setCaa("allowed.example.org", ['0 issue "other.example"', '0 issue "ca.sandbox.test"']);
    const { id } = await createDomain("www.allowed.example.org");
    await proveDomain(instance.admin, id);
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    assert.equal(recordOf(attached, "CERTIFICATE_AUTHORITY_AUTHORIZATION"), undefined);
  });

  it("that disappear return to PENDING, and the domain has warnings until they are back", async () => {
    const { id } = await createDomain("www.gone.example.org");
    await proveDomain(instance.admin, id);
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    assert.deepEqual(attached.warnings, [], "a connection record that was not set yet raises no warning");
    await setDnsRecords(instance.admin, attached);
    const isRight = ({ dnsRecords, warnings }: ShownDomain) =>
      warnings.length === 0 && dnsRecords.every(({ status }) => status === "OK");
    await untilShown(id, isRight, "both records are OK");

    for (const [purpose, code] of [
      ["CERTIFICATE_DOMAIN_VERIFICATION", "VERIFICATION_RECORD_MISSING"],
      ["SERVICE_CONNECTION", "CONNECTION_RECORD_MISSING"],
    ] as const) {
      const record = recordOf(attached, purpose);
      assert.ok(record !== undefined);
      await deleteRecord(record);
      const warned = await untilShown(
        id,
        (domain) => warningsOf(domain) === code && domain,
        `the domain warns of ${code}`,
      );
      assert.equal(recordOf(warned, purpose)?.status, "PENDING");
      assert.equal(recordOf(warned, purpose)?.lastPropagationCheckError?.code, "NOT_FOUND");
      assert.match(warned.warnings[0]?.action ?? "", /^Set the record again/);
      assert.equal((await instance.admin.get(`/v1/domains/${id}`)).body.status, "ATTACHED");
      await setDnsRecords(instance.admin, attached);
      await untilShown(id, isRight, `${purpose} is back`);
    }
  });
});
