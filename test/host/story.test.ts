/** A customer's domain on an own server, from the first record to its deletion. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { createGroup, untilDomain } from "../helpers/customers/scenario.ts";
import { EDGE_HOSTNAME, type HostInstance, startHostInstance } from "../helpers/host/host-instance.ts";

const RECORDS = "AWAITING_VERIFICATION_RECORDS_TO_BE_SET";

type DnsRecord = { name: string; type: "CNAME"; value: string; purpose: string };

describe("a domain on an own server", () => {
  let instance: HostInstance;
  let origin: Server;
  let serviceId = "";
  before(async () => {
    origin = createServer((request, response) =>
      response.end(`${request.headers["x-forwarded-host"]} ${request.url}`),
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

  it("says which records to set, is attached once they are, and is served over HTTPS", async () => {
    const group = await createGroup(instance.api, serviceId, ["www.shop.example.com", "shop.example.com"]);
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
});
