import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeRoute, parseServer, systemServers } from "./servers.ts";

describe("parseServer", () => {
  const accepted: readonly (readonly [string, string, number])[] = [
    ["127.0.0.1:8053", "127.0.0.1", 8053],
    ["9.9.9.9", "9.9.9.9", 53],
    ["[::1]:8053", "::1", 8053],
    ["[2620:FE:0::fe]", "2620:fe::fe", 53],
    ["2620:fe::fe", "2620:fe::fe", 53],
    [" 9.9.9.9:53 ", "9.9.9.9", 53],
  ];
  for (const [text, host, port] of accepted) {
    it(`reads "${text}"`, () => assert.deepEqual(parseServer(text), { host, port }));
  }
  const refused = [
    "",
    "dns.example.com:53",
    "9.9.9.9:0",
    "9.9.9.9:65536",
    "9.9.9.9:x",
    "[9.9.9.9]:53",
    "1.2.3",
    "[::1",
  ];
  for (const text of refused) {
    it(`refuses "${text}" and shows what to write`, () => {
      assert.throws(() => parseServer(text), /is not a DNS server: write an IP address and a port/);
    });
  }
  it("understands every resolver of the system", () => {
    for (const server of systemServers()) assert.ok(server.port > 0);
  });
});

describe("makeRoute", () => {
  const route = makeRoute([
    { host: "127.0.0.1", port: 8053 },
    { host: "fd00::53", port: 5353 },
  ]);
  const never = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.2",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.251",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::fb",
    "ns1.example.com",
    "",
  ];
  for (const address of never) {
    it(`never dials ${address || "an empty address"}, which a stranger's zone may name`, () => {
      assert.deepEqual(route(address), []);
    });
  }
  for (const address of ["8.8.8.8", "100.63.255.255", "172.32.0.1", "2620:fe::fe", "2001:500:2f::f"]) {
    it(`dials the public ${address} on port 53`, () => {
      assert.deepEqual(route(address), [{ host: address, port: 53 }]);
    });
  }
  it("dials a configured address on its configured port, in whatever spelling the zone gives it", () => {
    assert.deepEqual(route("127.0.0.1"), [{ host: "127.0.0.1", port: 8053 }]);
    assert.deepEqual(route("FD00:0:0::53"), [{ host: "fd00::53", port: 5353 }]);
  });
});
