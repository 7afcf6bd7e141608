import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addressRefusal, parseAllowedHosts } from "./address-rules.ts";

const REFUSED: readonly (readonly [reason: string, ...addresses: string[]])[] = [
  [
    "a loopback address",
    "127.0.0.1",
    "127.0.0.0",
    "127.255.255.255",
    "::1",
    "::ffff:7f00:1",
    "::ffff:127.0.0.1",
  ],
  ["a private network", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0"],
  ["a private network", "192.168.255.255", "fc00::", "fdff:ffff::1", "fd00:ec2::254", "::ffff:10.0.0.1"],
  [
    "a link-local address",
    "169.254.0.0",
    "169.254.255.255",
    "fe80::1",
    "febf::1",
    "fe80::1%eth0",
    "::ffff:a9fe:1",
  ],
  [
    "a cloud's metadata service",
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
  ],
  ["a carrier's shared network", "100.64.0.0", "100.127.255.255"],
  ["a multicast address", "224.0.0.1", "239.255.255.255", "ff02::1"],
  ["an unspecified address", "0.0.0.0", "0.255.255.255", "::", "::ffff:0.0.0.0"],
  [
    "a reserved network",
    "240.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "192.0.0.1",
    "192.88.99.1",
  ],
  [
    "a reserved network",
    "2001::1",
    "2001:10::1",
    "2001:1ff::1",
    "fec0::1",
    "100::1",
    "1fff::1",
    "4000::1",
    "::2",
    "::ffff:8.8.8.8",
  ],
  ["a documentation network", "192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1"],
  ["an IPv6 form of an IPv4 address", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::"],
  ["an IPv6 form of an IPv4 address", "2002:808:808::1"],
  ["no IP address", "", "localhost", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "1.2.3.4/32"],
];

const PUBLIC = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "140.82.121.4",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700::1111",
  "2a00:1450::1",
];

describe("addressRefusal", () => {
  for (const [reason, ...addresses] of REFUSED) {
    for (const address of addresses) {
      test(`refuses ${address || "nothing"} as ${reason}`, () =>
        assert.equal(addressRefusal(address), reason));
    }
  }
  for (const address of PUBLIC) {
    test(`lets ${address} be dialled`, () => assert.equal(addressRefusal(address), null));
  }
  // What a user writes reaches the rules through the URL parser; these spell inside addresses every other way.
  for (const host of [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "017700000001",
    "0xa9fea9fe",
    "2852039166",
    "①②⑦.⓪.⓪.①",
    "127%2e0.0.1",
    "[::ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[::127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a00:1::]",
    "0",
  ]) {
    test(`refuses what the URL parser makes of ${host}`, () => {
      const { hostname } = new URL(`https://${host}/`);
      assert.notEqual(addressRefusal(hostname.replace(/^\[|\]$/g, "")), null);
    });
  }
});

describe("parseAllowedHosts", () => {
  const allowed = parseAllowedHosts([
    "gitlab.corp.example",
    "Git.Corp.example",
    "10.0.0.0/8",
    "192.168.1.5",
    "fd00::/8",
  ]);

  test("allows exactly one name", () => {
    assert.ok(allowed.allowsName("gitlab.corp.example"));
    assert.ok(allowed.allowsName("git.corp.example"));
    assert.ok(!allowed.allowsName("evil.gitlab.corp.example"));
    assert.ok(!allowed.allowsName("corp.example"));
  });

  test("allows a network and a single address, and nothing else", () => {
    for (const address of ["10.1.2.3", "192.168.1.5", "fd12::1"]) assert.ok(allowed.allowsAddress(address));
    for (const address of ["11.0.0.1", "192.168.1.6", "fe80::1", "127.0.0.1", "nothing"]) {
      assert.ok(!allowed.allowsAddress(address));
    }
  });

  test("refuses an ambiguous entry", () => {
    for (const entry of [
      "",
      "*.corp.example",
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0.0/",
      "10.0.0",
      "h:443",
      "-h",
      "https://h",
    ]) {
      assert.throws(() => parseAllowedHosts([entry]), RangeError, entry);
    }
  });
});
