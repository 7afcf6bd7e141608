/** A customer's domain on an own server, from the first record to its deletion. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { createGroup, untilDomain, untilGone } from "../helpers/customers/scenario.ts";
import { EDGE_HOSTNAME, type HostInstance, startHostInstance } from "../helpers/host/host-instance.ts";
import { until } from "../helpers/until.ts";
import { createCanaries, findNeedles, needlesOf, searchFolder } from "../security/needles.ts";

/** How private keys of the curve P-256 begin (RFC 5958), in PEM. */
const PKCS8_OF_P256 = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w";
const RECORDS = "AWAITING_VERIFICATION_RECORDS_TO_BE_SET";

type DnsRecord = { name: string; type: "CNAME"; value: string; purpose: string };

describe("a domain on an own server", { timeout: 180_000 }, () => {
  let instance: HostInstance;
  let origin: Server;
  let serviceId = "";
  before(async () => {
    origin = createServer((request, response) =>
      response.end(`${String(request.headers["x-forwarded-host"])} ${request.url}`),
    );
    origin.listen(0, "127.0.0.1");
    await once(origin, "listening");
    const address = origin.address();
    assert.ok(address !== null && typeof address === "object");
    instance = await startHostInstance();
    serviceId = await instance.createService("shop", `localhost:${address.port}`);
  });
  after(async () => {
    await instance.stop();
    origin.close();
  });

  const set = ({ name, type, value }: DnsRecord) => instance.names.set(name, type, value);
  const recordsOf = (domain: { dnsRecords: readonly DnsRecord[] }, purpose: string) =>
    domain.dnsRecords.filter((record) => record.purpose === purpose);

  let group: { id: string; createdDomains: readonly { id: string; name: string }[] };
  const idOf = (name: string): string =>
    group.createdDomains.find((domain) => domain.name === name)?.id ?? assert.fail(name);

  it("says which records to set, is attached once they are, and is served over HTTPS", async () => {
    group = await createGroup(instance.api, serviceId, ["www.shop.example.com", "shop.example.com"]);
    for (const { id, name } of group.createdDomains) {
      const waiting = await untilDomain(instance.api, id, RECORDS);
      const [proof, ...others] = recordsOf(waiting, "CERTIFICATE_DOMAIN_VERIFICATION");
      assert.deepEqual(others, []);
      assert.equal(proof?.name, `_acme-challenge.${name}`);
      assert.match(proof.value, new RegExp(`^[0-9a-f]{32}\\.acme\\.${EDGE_HOSTNAME}$`));
      set(proof);
    }
    for (const { id } of group.createdDomains) {
      const attached = await untilDomain(instance.api, id, "ATTACHED");
      for (const record of recordsOf(attached, "SERVICE_CONNECTION")) {
        assert.match(record.value, new RegExp(`^d[0-9a-z]{13}\\.${EDGE_HOSTNAME}$`));
        set(record);
      }
    }
    const answer = await instance.get("www.shop.example.com", "/path?query");
    assert.deepEqual([answer.status, answer.body], [200, "www.shop.example.com /path?query"]);
  });

  it("is checked in the DNS, and makes its group active", async () => {
    for (const { id } of group.createdDomains) {
      await until(async () => {
        const { body } = await instance.api.post(`/v1/domains/${id}/check`);
        return body.dnsRecords.every(({ status }: { status: string }) => status === "OK");
      }, `the records of ${id} are seen`);
    }
    const { body } = await instance.api.get(`/v1/domain-certificate-groups/${group.id}`);
    assert.deepEqual([body.status, body.certificate.status], ["ACTIVE", "ISSUED"]);
  });

  it("redirects HTTP to HTTPS, and to another domain as configured", async () => {
    const { status, location } = await getPlain("www.shop.example.com", "/a?b");
    assert.equal(status, 308);
    assert.match(location ?? "", /^https:\/\/www\.shop\.example\.com(?::\d+)?\/a\?b$/);

    const changed = await instance.api.patch(`/v1/domains/${idOf("shop.example.com")}`, {
      redirectTo: "www.shop.example.com",
    });
    assert.equal(changed.status, 200, changed.text);
    const redirected = await until(async () => {
      const answer = await instance.get("shop.example.com", "/a?b");
      return answer.status === 308 && answer;
    }, "the domain redirects");
    assert.match(redirected.location ?? "", /^https:\/\/www\.shop\.example\.com(?::\d+)?\/a\?b$/);
  });

  it("keeps its certificates over kill -9", async () => {
    const before = await instance.get("www.shop.example.com");
    await instance.replace();
    const after = await instance.get("www.shop.example.com");
    assert.deepEqual([after.status, after.serialNumber], [200, before.serialNumber]);
  });

  it("may be a wildcard, of which every name has the same certificate", async () => {
    const wild = await createGroup(instance.api, serviceId, ["*.tenants.example.com"]);
    const [{ id }] = wild.createdDomains;
    const waiting = await untilDomain(instance.api, id, RECORDS);
    const [proof] = recordsOf(waiting, "CERTIFICATE_DOMAIN_VERIFICATION");
    assert.equal(proof?.name, "_acme-challenge.tenants.example.com");
    set(proof);
    await untilDomain(instance.api, id, "ATTACHED");
    const [one, two] = [
      await instance.get("one.tenants.example.com"),
      await instance.get("two.tenants.example.com"),
    ];
    assert.deepEqual([one.status, two.status, two.serialNumber], [200, 200, one.serialNumber]);
    await assert.rejects(instance.get("a.deep.tenants.example.com"));
  });

  it("has no private key and no managed value in clear text on the disk, or in the log", async () => {
    const canaries = createCanaries();
    const { environmentId } = (await instance.api.get(`/v1/services/${serviceId}`)).body;
    const variables = `/v1/environments/${environmentId}/env-variables`;
    const { body: run } = await instance.api.post(variables, {
      parameterStore: { TOKEN: canaries.make("parameter") },
      secretsManager: { PASSWORD: canaries.make("secret") },
    });
    await until(async () => {
      const { body } = await instance.api.get(`${variables}/status?runId=${run.runId}`);
      return body.processedEnvVariables === 2;
    }, "the values are stored");
    const needles = [...canaries.texts, PKCS8_OF_P256].flatMap(needlesOf);
    const { hits, searchedBytes } = await searchFolder(instance.dataDir, needles);
    assert.deepEqual(hits, []);
    assert.ok(searchedBytes > 1_000_000);
    assert.deepEqual(findNeedles(Buffer.from(instance.log()), needles), []);
  });

  it("is deleted, and no longer served", async () => {
    const deleted = await instance.api.delete(`/v1/domain-certificate-groups/${group.id}`);
    assert.equal(deleted.status, 202, deleted.text);
    await untilGone(instance.api, `/v1/domain-certificate-groups/${group.id}`);
    await assert.rejects(instance.get("www.shop.example.com"));
  });

  async function getPlain(name: string, at: string) {
    const asked = request({
      host: "127.0.0.1",
      port: instance.ports.http,
      path: at,
      headers: { host: name },
    });
    asked.end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    answer.resume();
    return { status: answer.statusCode, location: answer.headers.location };
  }
});
