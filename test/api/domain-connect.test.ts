/** Records that a domain's DNS provider sets after its owner agreed there, as the sandbox has such a provider. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  answerConsent,
  becomeKnown,
  CONNECT_ENV,
  connectTemplate,
  delegateZone,
  openConsent,
} from "../helpers/customers/dns-provider.ts";
import { createProject, type Project, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";

type Record = {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly status: string;
};
type Shown = {
  readonly id: string;
  readonly status: string;
  readonly dnsRecords: readonly Record[];
  readonly dnsProvider: null | {
    readonly name: string | null;
    readonly supports: { readonly domainConnect: boolean | null };
  };
};

describe("records that a DNS provider sets after its owner agreed", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance({ env: CONNECT_ENV });
    project = await createProject(instance.admin, "connect");
    await becomeKnown(instance.admin);
  });
  after(() => instance.dispose());

  async function addDomain(name: string): Promise<string> {
    const path = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
    const made = await instance.admin.post(path, { domains: [name], useDefaultCdn: false });
    assert.equal(made.status, 201, made.text);
    return made.body.createdDomains[0].id;
  }
  const show = async (id: string): Promise<Shown> => (await instance.admin.get(`/v1/domains/${id}`)).body;
  const untilOffered = (id: string, isOffered = true): Promise<Shown> =>
    until(
      async () => {
        const domain = await show(id);
        const isKnown = domain.dnsRecords.length > 0;
        return isKnown && domain.dnsProvider?.supports.domainConnect === isOffered && domain;
      },
      `Domain Connect of ${id} is ${isOffered ? "" : "not "}offered`,
    );
  async function start(id: string, options: object = {}): Promise<string> {
    const started = await instance.admin.post(`/v1/domains/${id}/domain-connect`, options);
    assert.equal(started.status, 201, started.text);
    assert.equal(started.body.providerName, "Sandbox DNS");
    return started.body.applyUrl;
  }
  const comeBack = (id: string, back: URL, client = instance.admin) => {
    const { state, error } = Object.fromEntries(back.searchParams);
    return client.post(`/v1/domains/${id}/domain-connect/return`, { state, ...(error ? { error } : {}) });
  };
  const recordsAt = async (zone: string): Promise<readonly string[]> => {
    const { body } = await instance.admin.get("/sandbox/dns/records");
    return body.records
      .filter(({ name }: Record) => name === zone || name.endsWith(`.${zone}`))
      .filter(({ name, type }: Record) => type !== "NS" && !name.startsWith("_domainconnect."))
      .map(
        ({ name, type, values }: { name: string; type: string; values: string[] }) =>
          `${name} ${type} ${values.join()}`,
      );
  };
  /** Events are numbered soon after their change. */
  const untilTold = (subjectId: string, type: string) =>
    until(async () => {
      const { body } = await instance.admin.get(`/v1/events?limit=100&subjectId=${subjectId}`);
      return body.events.find((event: { type: string }) => event.type === type)?.data;
    }, `${type} of ${subjectId}`);

  it("lead a subdomain from its creation to being served", async () => {
    const zone = "connect-zone.com";
    await delegateZone(instance.admin, zone);
    await instance.admin.put("/sandbox/dns/records", {
      name: `www.${zone}`,
      type: "A",
      values: ["192.0.2.1"],
    });
    const id = await addDomain(`www.${zone}`);
    const offered = await untilOffered(id);
    assert.equal(offered.dnsProvider?.name, "Sandbox DNS");
    const applyUrl = await start(id);
    const consent = await openConsent(applyUrl);
    assert.equal(consent.status, 200);
    for (const { name, value } of offered.dnsRecords)
      assert.ok(consent.text.includes(`${name} CNAME ${value}`), consent.text);
    assert.match(consent.text, /They replace:.*A 192\.0\.2\.1/s);

    const back = await answerConsent(applyUrl, "yes");
    assert.equal(back.origin + back.pathname, `${instance.url}/domain-connect/return/${id}`);
    const console = await fetch(back, { redirect: "manual" });
    assert.equal(console.headers.get("location"), `/console/domain-connect/${id}${back.search}`);
    const returned = await comeBack(id, back);
    assert.equal(returned.status, 202, returned.text);
    await untilDomain(instance.admin, id, "ATTACHED");
    const served = await until(async () => {
      const { dnsRecords } = await show(id);
      return dnsRecords.length === 2 && dnsRecords.every(({ status }) => status === "OK") && dnsRecords;
    }, "all records are found in the DNS");
    const wanted = served.map(({ name, type, value }) => `${name} ${type} ${value}`);
    assert.deepEqual([...(await recordsAt(zone))].toSorted(), wanted.toSorted());

    assertRefused(await comeBack(id, back), 409, "DOMAIN_CONNECT_ENDED");
    assert.equal((await untilTold(id, "domain.connect_started")).provider, "Sandbox DNS");
    assert.equal((await untilTold(id, "domain.connect_returned")).outcome, "AGREED");
    const { body: audit } = await instance.admin.get(`/v1/audit-entries?resourceId=${id}&limit=100`);
    const actions = audit.auditEntries.map(({ action }: { action: string }) => action);
    assert.ok(actions.includes("domain.connect-started") && actions.includes("domain.connect-returned"));
    const state = back.searchParams.get("state") ?? assert.fail();
    for (const text of [JSON.stringify(audit), instance.logged()]) assert.ok(!text.includes(state));
  });

  it("lead an apex there without a CNAME, and leave its other records", async () => {
    const zone = "connect-apex.com";
    await delegateZone(instance.admin, zone);
    await instance.admin.put("/sandbox/dns/records", { name: zone, type: "TXT", values: ["mail"] });
    const id = await addDomain(zone);
    await untilOffered(id);
    const back = await answerConsent(await start(id), "yes");
    assert.equal((await comeBack(id, back)).status, 202);
    await untilDomain(instance.admin, id, "ATTACHED");
    const types = (await recordsAt(zone)).filter((record) => record.startsWith(`${zone} `));
    assert.deepEqual(
      types.map((record) => record.split(" ")[1]),
      ["ALIAS", "TXT"],
    );
  });

  it("leave a name where it leads until its certificate is issued, if that is wanted", async () => {
    const zone = "connect-live.com";
    await delegateZone(instance.admin, zone);
    const live = { name: `www.${zone}`, type: "A", values: ["192.0.2.7"] };
    await instance.admin.put("/sandbox/dns/records", live);
    const id = await addDomain(`www.${zone}`);
    await untilOffered(id);
    const first = await answerConsent(await start(id, { verificationOnly: true }), "yes");
    assert.equal((await comeBack(id, first)).status, 202);
    await untilDomain(instance.admin, id, "ATTACHED");
    assert.ok((await recordsAt(zone)).includes(`www.${zone} A 192.0.2.7`));
    await answerConsent(await start(id), "yes");
    assert.ok(!(await recordsAt(zone)).includes(`www.${zone} A 192.0.2.7`));
  });

  it("are not set if the owner does not agree, and an event says so", async () => {
    const zone = "connect-declined.com";
    await delegateZone(instance.admin, zone);
    const id = await addDomain(`www.${zone}`);
    await untilOffered(id);
    const back = await answerConsent(await start(id), "no");
    assert.equal(back.searchParams.get("error"), "access_denied");
    assert.equal((await comeBack(id, back)).status, 202);
    assert.equal((await untilTold(id, "domain.connect_returned")).outcome, "DECLINED");
    assert.deepEqual(await recordsAt(zone), []);
  });

  it("are not believed in where the provider says yes and sets nothing", async () => {
    const zone = "connect-idle.com";
    await delegateZone(instance.admin, zone, { isIdle: true });
    const id = await addDomain(`www.${zone}`);
    await untilOffered(id);
    const since = new Date().toISOString();
    const back = await answerConsent(await start(id), "yes");
    assert.equal((await comeBack(id, back)).status, 202);
    const looked = await until(async () => {
      const domain = (await instance.admin.get(`/v1/domains/${id}`)).body;
      const times = domain.dnsRecords.map(
        ({ lastPropagationCheckAt }: { lastPropagationCheckAt: string | null }) => lastPropagationCheckAt,
      );
      return times.every((time: string | null) => time !== null && time > since) && domain;
    }, "the records are looked at again");
    assert.equal(looked.status, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    assert.deepEqual(
      looked.dnsRecords.map(({ status }: Record) => status),
      ["PENDING", "PENDING"],
    );
  });

  it("take the return only from the user who began, and from the last tab", async () => {
    const zone = "connect-mine.com";
    await delegateZone(instance.admin, zone);
    const id = await addDomain(`www.${zone}`);
    await untilOffered(id);
    const other = await createScratchUser(instance.admin, "admin");
    const first = await answerConsent(await start(id), "no");
    const second = await answerConsent(await start(id), "no");
    assertRefused(await comeBack(id, first), 409, "DOMAIN_CONNECT_ENDED");
    assertRefused(await comeBack(id, second, other.client), 409, "DOMAIN_CONNECT_ENDED");
    assert.equal((await comeBack(id, second)).status, 202);
  });

  it("are refused by the provider for an address that was changed", async () => {
    const zone = "connect-signed.com";
    await delegateZone(instance.admin, zone);
    const id = await addDomain(`www.${zone}`);
    await untilOffered(id);
    const applyUrl = await start(id);
    const [, signature = ""] = /&sig=([^&]+)/.exec(applyUrl) ?? [];
    const bytes = Buffer.from(decodeURIComponent(signature), "base64");
    bytes.writeUInt8(bytes.readUInt8(7) ^ 1, 7);
    const changed = [
      applyUrl.replace(signature, encodeURIComponent(bytes.toString("base64"))),
      applyUrl.replace("host=www", "host=mail"),
      applyUrl.replace("distribution=", "distribution=x"),
      applyUrl.replace(/&sig=[^&]+/, ""),
      applyUrl.replace("key=_dck1", "key=_dck2"),
    ];
    for (const url of changed) {
      assert.notEqual(url, applyUrl);
      assert.equal((await openConsent(url)).status, 400, url);
    }
    assert.equal((await openConsent(applyUrl)).status, 200);
  });

  it("are refused by a provider whose template is another", async () => {
    const zone = "connect-template.com";
    await delegateZone(instance.admin, zone);
    const id = await addDomain(`www.${zone}`);
    await untilOffered(id);
    const applyUrl = await start(id);
    const ours = connectTemplate("domain");
    const records = [{ type: "CNAME", host: "@", pointsTo: "%other%.example.net", ttl: 60 }];
    const path = "/sandbox/domain-connect/templates";
    assert.equal((await instance.admin.put(path, { ...ours, records })).status, 204);
    try {
      const refused = await openConsent(applyUrl);
      assert.equal(refused.status, 400);
      assert.match(refused.text, /other/);
    } finally {
      assert.equal((await instance.admin.put(path, ours)).status, 204);
    }
  });

  it("are not offered by a stale record, at another provider, and for a wildcard", async () => {
    const zone = "connect-stale.com";
    await delegateZone(instance.admin, zone);
    const wildcard = await addDomain(`*.${zone}`);
    await untilOffered(wildcard, false);
    assertRefused(
      await instance.admin.post(`/v1/domains/${wildcard}/domain-connect`, {}),
      409,
      "DOMAIN_CONNECT_NOT_OFFERED",
    );
    const { host } = new URL(instance.url);
    for (const [name, value] of [
      ["connect-moved.com", `${host}/sandbox/console/domain-connect`],
      ["connect-inside.com", "10.0.0.1/admin"],
    ] as const) {
      const record = { name: `_domainconnect.${name}`, type: "TXT", values: [value] };
      await instance.admin.put("/sandbox/dns/records", record);
      const id = await addDomain(`www.${name}`);
      await untilOffered(id, false);
      assertRefused(
        await instance.admin.post(`/v1/domains/${id}/domain-connect`, {}),
        409,
        "DOMAIN_CONNECT_NOT_OFFERED",
      );
    }
  });
});
