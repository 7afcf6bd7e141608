/** Records that Slipway sets itself, in DNS zones of the account, as the sandbox has them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { clearFaults, setFault } from "../helpers/customers/sandbox-account.ts";
import { createProject, type Project, untilDomain, untilGone } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

type Shown = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly dnsRecords: readonly {
    readonly name: string;
    readonly type: string;
    readonly value: string;
    readonly status: string;
    readonly lastPropagationCheckAt: string | null;
    readonly accountZone: {
      readonly status: string;
      readonly zoneId: string | null;
      readonly since: string;
      readonly found: string | null;
    } | null;
  }[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
};

describe("records that Slipway sets itself", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "zones");
  });
  after(() => instance.dispose());

  async function makeZone(
    name: string,
    options: object = {},
  ): Promise<{ id: string; nameServers: string[] }> {
    const made = await instance.admin.post("/sandbox/zones", {
      ServiceId: project.awsAccountId,
      name,
      ...options,
    });
    assert.equal(made.status, 201, made.text);
    return made.body;
  }
  async function createGroup(names: readonly string[], autoDns = true) {
    const path = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
    const made = await instance.admin.post(path, { domains: names, useDefaultCdn: false, autoDns });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.autoDns, autoDns);
    return {
      id: made.body.id as string,
      domainIds: made.body.createdDomains.map(({ id }: Shown) => id) as string[],
    };
  }
  const show = async (id: string): Promise<Shown> => (await instance.admin.get(`/v1/domains/${id}`)).body;
  const recordsAt = async (zone: string): Promise<readonly string[]> => {
    const { body } = await instance.admin.get("/sandbox/dns/records");
    return body.records
      .filter(
        ({ name, type }: { name: string; type: string }) =>
          type !== "NS" && (name === zone || name.endsWith(`.${zone}`)),
      )
      .map(
        ({ name, type, values }: { name: string; type: string; values: string[] }) =>
          `${name} ${type} ${values.join()}`,
      );
  };
  const untilWarned = (id: string, code: string): Promise<Shown> =>
    until(async () => {
      const domain = await show(id);
      return domain.warnings.some((warning) => warning.code === code) && domain;
    }, `${code} of ${id}`);
  type Told = {
    readonly type: string;
    readonly data: { readonly records?: readonly { readonly name: string }[] };
  };
  /** Events are numbered soon after their change. */
  const untilTold = (subjectId: string, type: string, count: number): Promise<readonly Told[]> =>
    until(async () => {
      const { body } = await instance.admin.get(`/v1/events?limit=100&subjectId=${subjectId}`);
      const told = body.events.filter((event: Told) => event.type === type);
      assert.ok(told.length <= count, JSON.stringify(told));
      return told.length === count && told;
    }, `${count} ${type} of ${subjectId}`);

  it("lead a subdomain, an apex and a wildcard from their creation to being served, and go with them", async () => {
    const zone = "auto-zone.com";
    const { id: zoneId } = await makeZone(zone);
    const group = await createGroup([`www.${zone}`, zone, `*.${zone}`]);
    for (const id of group.domainIds) await untilDomain(instance.admin, id, "ATTACHED");
    const served = await until(async () => {
      const all = await Promise.all(group.domainIds.map(show));
      return all.every(({ dnsRecords }) => dnsRecords.every(({ status }) => status === "OK")) && all;
    }, "all records are found in the DNS");
    for (const { warnings } of served) assert.deepEqual(warnings, []);
    const set = served
      .flatMap(({ dnsRecords }) => dnsRecords.map(({ accountZone }) => accountZone))
      .filter((one) => one?.status === "SET");
    // The wildcard's verification record is the apex's, and set once.
    assert.equal(set.length, 5, JSON.stringify(served.map(({ dnsRecords }) => dnsRecords)));
    for (const one of set) {
      assert.equal(one?.zoneId, zoneId);
      assert.ok(Date.parse(one.since) > 0, one.since);
    }
    const { body: listed } = await instance.admin.get(
      `/v1/projects/${project.projectId}/dns-records?limit=100`,
    );
    for (const { dnsRecords } of served)
      for (const { name, accountZone } of dnsRecords)
        assert.ok(
          listed.dnsRecords.some(
            (one: Shown["dnsRecords"][number]) =>
              one.name === name && JSON.stringify(one.accountZone) === JSON.stringify(accountZone),
          ),
          name,
        );
    const wanted = served.flatMap(({ dnsRecords }) =>
      dnsRecords.map(({ name, type, value }) => `${name} ${type} ${value}`),
    );
    assert.deepEqual([...(await recordsAt(zone))].toSorted(), [...new Set(wanted)].toSorted());

    const [www = ""] = group.domainIds;
    const told = await untilTold(www, "domain.dns_records_set", 2);
    assert.deepEqual(
      told.flatMap(({ data }) => data.records?.map(({ name }) => name) ?? []).toSorted(),
      served[0]?.dnsRecords.map(({ name }) => name).toSorted(),
    );
    const { body: audit } = await instance.admin.get(
      "/v1/audit-entries?action=domain.dns-records-set&limit=100",
    );
    const entry = audit.auditEntries.find(({ resourceId }: { resourceId: string }) => resourceId === www);
    assert.match(JSON.stringify(entry.details), new RegExp(`${zoneId}.*www\\.${zone}`));

    // The wildcard has the verification record of the apex, which stays as long as one of them.
    const [, apex, wildcard] = served;
    const shared = apex?.dnsRecords.find(({ type }) => type === "CNAME");
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}/domains/${apex?.id}`);
    await untilGone(instance.admin, `/v1/domains/${apex?.id}`);
    const left = await recordsAt(zone);
    assert.ok(
      left.some((record) => record.startsWith(`${shared?.name} `)),
      left.join("; "),
    );
    assert.ok(!left.some((record) => record.startsWith(`${zone} `)), left.join("; "));
    assert.equal((await show(wildcard?.id ?? "")).status, "ATTACHED");

    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`);
    assert.deepEqual(await recordsAt(zone), []);
    await untilTold(www, "domain.dns_records_removed", 1);
  });

  it("lead the top of a delegated zone of its own by an ALIAS, beside the NS records of that zone", async () => {
    const name = "apps.parent-zone.com";
    await makeZone("parent-zone.com");
    const { id: zoneId, nameServers } = await makeZone(name);
    const group = await createGroup([name]);
    const [id = ""] = group.domainIds;
    await untilDomain(instance.admin, id, "ATTACHED");
    const { dnsRecords, warnings } = await until(async () => {
      const domain = await show(id);
      return domain.dnsRecords.every(({ status }) => status === "OK") && domain;
    }, "all records are found in the DNS");
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      dnsRecords.map(({ type, accountZone }) => [type, accountZone?.status, accountZone?.zoneId]),
      [
        ["CNAME", "SET", zoneId],
        ["ALIAS", "SET", zoneId],
      ],
    );
    const { body: dns } = await instance.admin.get("/sandbox/dns/records");
    const stored = dns.records.find(
      (one: { name: string; type: string }) => one.name === name && one.type === "NS",
    );
    assert.deepEqual(stored.values.toSorted(), nameServers.toSorted());
    const { body: told } = await instance.admin.get(
      `/v1/events?limit=100&subjectId=${id}&types=domain.warning_raised`,
    );
    assert.deepEqual(told.events, []);
  });

  it("are never set over another's: both values are shown, and theirs stays", async () => {
    const zone = "conflict-zone.com";
    await makeZone(zone);
    const theirs = { name: `www.${zone}`, type: "CNAME", values: ["theirs.example.net"] };
    await instance.admin.put("/sandbox/dns/records", theirs);
    const group = await createGroup([`www.${zone}`]);
    const [id = ""] = group.domainIds;
    const warned = await untilWarned(id, "DNS_RECORD_CONFLICT");
    const [warning] = warned.warnings;
    const connection = warned.dnsRecords.find(({ name }) => name === `www.${zone}`);
    assert.ok(warning?.message.includes(`CNAME ${connection?.value}`), warning?.message);
    assert.match(warning?.message ?? "", /CNAME theirs\.example\.net/);
    assert.deepEqual(
      { ...connection?.accountZone, since: undefined },
      { status: "CONFLICT", zoneId: null, since: undefined, found: "CNAME theirs.example.net" },
    );
    assert.ok((await recordsAt(zone)).includes(`www.${zone} CNAME theirs.example.net`));
    const found = await instance.admin.get("/v1/domains?warning=DNS_RECORD_CONFLICT");
    assert.deepEqual(
      found.body.domains.map((domain: Shown) => domain.id),
      [id],
    );

    const off = await instance.admin.patch(`/v1/domain-certificate-groups/${group.id}`, { autoDns: false });
    assert.deepEqual([off.status, off.body.autoDns], [200, false], off.text);
    const without = await show(id);
    assert.deepEqual(without.warnings, []);
    assert.ok(without.dnsRecords.every(({ accountZone }) => accountZone?.status !== "CONFLICT"));
    await instance.admin.delete("/sandbox/dns/records", { name: theirs.name, type: theirs.type });
    const on = await instance.admin.patch(`/v1/domain-certificate-groups/${group.id}`, { autoDns: true });
    assert.equal(on.body.autoDns, true, on.text);
    await until(
      async () => (await recordsAt(zone)).includes(`www.${zone} CNAME ${connection?.value}`),
      "the record is set once theirs is removed",
    );
    await untilTold(group.id, "domain_group.updated", 2);

    // A record that its owner has changed is no longer ours: the deletion of the group leaves it.
    await instance.admin.put("/sandbox/dns/records", theirs);
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`);
    assert.deepEqual(await recordsAt(zone), [`www.${zone} CNAME theirs.example.net`]);
  });

  it("wait while they would end a wildcard that serves the name", async () => {
    const zone = "wild-zone.com";
    await makeZone(zone);
    const wild = { name: `*.${zone}`, type: "A", values: ["192.0.2.10"] };
    await instance.admin.put("/sandbox/dns/records", wild);
    const group = await createGroup([`www.${zone}`]);
    const [id = ""] = group.domainIds;
    const warned = await untilWarned(id, "DNS_WILDCARD_IN_USE");
    const [warning] = warned.warnings;
    assert.match(
      warning?.message ?? "",
      /^www\.wild-zone\.com is answered by the wildcard \*\.wild-zone\.com \(A 192\.0\.2\.10\), which would end/,
    );
    assert.deepEqual(await recordsAt(zone), [`*.${zone} A 192.0.2.10`]);

    await instance.admin.put("/sandbox/dns/records", { ...wild, name: `www.${zone}` });
    const [verification] = warned.dnsRecords;
    await until(
      async () => (await recordsAt(zone)).includes(`${verification?.name} CNAME ${verification?.value}`),
      "the verification record is set once the name has its own record",
    );
    const after = await recordsAt(zone);
    assert.ok(after.includes(`www.${zone} A 192.0.2.10`), after.join("\n"));
    assert.ok(after.includes(`*.${zone} A 192.0.2.10`), after.join("\n"));
  });

  it("are not set in a zone that the DNS does not lead to, nor in a private one, nor in a zone that is not allowed", async () => {
    const cases = [
      ["elsewhere-zone.com", { isDelegated: false }, "DNS_ZONE_NOT_FOUND", /not to the account's zone Z/],
      ["private-zone.com", { isPrivate: true }, "DNS_ZONE_NOT_FOUND", /no public zone/],
      ["forbidden-zone.com", { isAllowed: false }, "DNS_ZONE_NOT_ALLOWED", /does not let Slipway/],
    ] as const;
    for (const [zone, options, code, message] of cases) {
      await makeZone(zone, options);
      const group = await createGroup([`www.${zone}`]);
      const [id = ""] = group.domainIds;
      const warned = await until(async () => {
        const domain = await untilWarned(id, code);
        return message.test(domain.warnings[0]?.message ?? "") && domain;
      }, `${zone} is named by ${message}`);
      assert.deepEqual(await recordsAt(zone), []);
      assert.equal(warned.status, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    }
  });

  it("are not set if several zones have the name servers of the delegation: the account's owner is asked", async () => {
    const zone = "twin-zone.com";
    const { id: first, nameServers } = await makeZone(zone);
    const { id: second } = await makeZone(zone, { nameServers });
    const group = await createGroup([`www.${zone}`]);
    const warned = await untilWarned(group.domainIds[0] ?? "", "DNS_ZONE_AMBIGUOUS");
    for (const id of [first, second]) assert.ok(warned.warnings[0]?.message.includes(id));
    assert.deepEqual(await recordsAt(zone), []);
  });

  it("are not set in a zone that lost its delegation between two looks, until it has it again", async () => {
    const zone = "moving-zone.com";
    const { nameServers } = await makeZone(zone);
    const delegateTo = (values: readonly string[]) =>
      instance.admin.put("/sandbox/dns/records", { name: zone, type: "NS", values });
    // A name that is served elsewhere gets its second record only once the domain is attached.
    const elsewhere = { name: `www.${zone}`, type: "A" };
    await instance.admin.put("/sandbox/dns/records", { ...elsewhere, values: ["192.0.2.1"] });
    await setFault(instance.admin, "distributions.update", "throttled");
    const group = await createGroup([`www.${zone}`]);
    const [id = ""] = group.domainIds;
    await until(async () => (await recordsAt(zone)).length === 2, "the first record is set");
    await until(async () => {
      const { body } = await instance.admin.get("/sandbox/state");
      const { accounts } = body as { accounts: { certificates: { names: string[]; status: string }[] }[] };
      return accounts
        .flatMap(({ certificates }) => certificates)
        .some(({ names, status }) => names.includes(`www.${zone}`) && status === "ISSUED");
    }, "the certificate is issued");
    await delegateTo(["ns1.elsewhere.example"]);
    await instance.admin.delete("/sandbox/dns/records", elsewhere);
    await clearFaults(instance.admin);
    // A busy machine may first answer too late who serves the zone.
    await until(async () => {
      const { warnings } = await untilWarned(id, "DNS_ZONE_NOT_FOUND");
      return warnings[0]?.message.includes("to ns1.elsewhere.example, and not to the account's zone");
    }, "it is said who serves the zone");
    assert.equal((await recordsAt(zone)).length, 1);
    await delegateTo(nameServers);
    for (const autoDns of [false, true])
      await instance.admin.patch(`/v1/domain-certificate-groups/${group.id}`, { autoDns });
    await until(async () => (await recordsAt(zone)).length === 2, "the second record is set");
  });

  it("are taken for set only by the DNS, whatever the provider says, and are not set again and again", async () => {
    const zone = "hollow-zone.com";
    await makeZone(zone, { isServed: false });
    const group = await createGroup([`www.${zone}`]);
    const [id = ""] = group.domainIds;
    await until(async () => {
      const { dnsRecords } = await show(id);
      return dnsRecords.length === 2 && dnsRecords.every((one) => one.lastPropagationCheckAt !== null);
    }, "the DNS is asked for both records");
    for (const autoDns of [false, true])
      await instance.admin.patch(`/v1/domain-certificate-groups/${group.id}`, { autoDns });
    await untilTold(group.id, "domain_group.updated", 2);
    const setOnce = () =>
      until(async () => {
        const { body } = await instance.admin.get(`/v1/events?limit=100&subjectId=${id}`);
        const told = body.events.filter(({ type }: Told) => type === "domain.dns_records_set");
        const names = told.flatMap(({ data }: Told) => data.records?.map(({ name }) => name) ?? []);
        assert.equal(new Set(names).size, names.length, "none is set a second time");
        return names.length === 2;
      }, "both records are set");
    await setOnce();
    const checked = await until(async () => {
      const domain = await show(id);
      return (
        domain.dnsRecords.every(({ lastPropagationCheckAt }) => lastPropagationCheckAt !== null) && domain
      );
    }, "the DNS is asked");
    assert.deepEqual(
      [checked.status, ...checked.dnsRecords.map(({ status }) => status)],
      ["AWAITING_VERIFICATION_RECORDS_TO_BE_SET", "PENDING", "PENDING"],
    );
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`);
    await setOnce();
    await untilTold(id, "domain.dns_records_removed", 1);
  });

  it("are set for each domain that is allowed, though a zone refuses all of a call for one", async () => {
    const zone = "partly-zone.com";
    await makeZone(zone);
    await setFault(instance.admin, "zones.create", "denied", { count: 1 });
    const group = await createGroup([`one.${zone}`, `two.${zone}`]);
    for (const id of group.domainIds) await untilDomain(instance.admin, id, "ATTACHED");
    for (const id of group.domainIds) {
      const served = await until(async () => {
        const domain = await show(id);
        return domain.dnsRecords.every(({ status }) => status === "OK") && domain;
      }, "all records are found in the DNS");
      assert.deepEqual(served.warnings, []);
    }
  });

  it("are set though their zone has ten thousand others", async () => {
    const zone = "large-zone.com";
    await makeZone(zone);
    const values = Array.from({ length: 100 }, (_, index) => `value ${index}`);
    for (let index = 0; index < 100; index += 1)
      await instance.admin.put("/sandbox/dns/records", { name: `n${index}.${zone}`, type: "TXT", values });
    const group = await createGroup([`www.${zone}`]);
    await untilDomain(instance.admin, group.domainIds[0] ?? "", "ATTACHED");
  });

  it("are set once throttling ends, and once though each answer is lost", async () => {
    const zone = "faulty-zone.com";
    await makeZone(zone);
    for (const [operation, kind] of [
      ["zones.find", "throttled"],
      ["zones.create", "lost-response"],
    ] as const)
      await setFault(instance.admin, operation, kind, { count: 3 });
    const group = await createGroup([`www.${zone}`]);
    const [id = ""] = group.domainIds;
    await untilDomain(instance.admin, id, "ATTACHED");
    await clearFaults(instance.admin);
    await until(async () => (await recordsAt(zone)).length === 2, "both records are set");
    await setFault(instance.admin, "zones.delete", "lost-response", { count: 1 });
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`);
    assert.deepEqual(await recordsAt(zone), []);
  });
});
