import assert from "node:assert/strict";
import type { NetworkInterfaceInfo } from "node:os";
import { test } from "node:test";
import { dnsAddressesOf, edgeAddressOf } from "./listen-addresses.ts";

const at = (...addresses: readonly string[]) => ({
  eth0: addresses.map(
    (address) => ({ address, family: address.includes(":") ? "IPv6" : "IPv4" }) as NetworkInterfaceInfo,
  ),
});

test("the edge listens on all addresses, and only on loopback in a trial", () => {
  assert.equal(edgeAddressOf(["192.0.2.1"], at("192.0.2.1")), "0.0.0.0");
  assert.equal(edgeAddressOf(["192.0.2.1"], at("10.0.0.1", "fe80::1")), "::");
  assert.equal(edgeAddressOf(["127.0.0.1"], at("127.0.0.1", "::1")), "127.0.0.1");
  assert.equal(edgeAddressOf(["192.0.2.1", "127.0.0.1"], at("192.0.2.1")), "0.0.0.0");
});

test("the DNS server leaves port 53 of other addresses to a local resolver", () => {
  const own = at("192.0.2.1", "2001:db8::1", "127.0.0.1");
  assert.deepEqual(dnsAddressesOf(["192.0.2.1", "2001:db8::1"], own), ["192.0.2.1", "2001:db8::1"]);
  assert.deepEqual(dnsAddressesOf(["192.0.2.1"], at("10.0.0.1")), ["0.0.0.0"]);
  assert.deepEqual(dnsAddressesOf(["127.0.0.1"], at("127.0.0.1")), ["127.0.0.1"]);
});
