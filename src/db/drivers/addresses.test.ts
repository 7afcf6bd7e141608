import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAddresses } from "./addresses.ts";

describe("a connection string", () => {
  it("with one host stays as it is, and means a server that takes writes", () => {
    const url = "postgres://app:word@db.example/slipway?sslmode=verify-full";
    assert.deepEqual(parseAddresses(url), { urls: [url], wanted: "read-write" });
  });

  it("with several hosts is one for each, with user, database and parameters", () => {
    const after = "/slipway?target_session_attrs=primary&sslmode=verify-full";
    assert.deepEqual(parseAddresses(`postgresql://app:w%40rd@a:5432,b.example:5433,[::1]:5434,c${after}`), {
      urls: ["a:5432", "b.example:5433", "[::1]:5434", "c"].map(
        (host) => `postgresql://app:w%40rd@${host}${after}`,
      ),
      wanted: "primary",
    });
  });

  it("may say that any server will do", () => {
    assert.equal(parseAddresses("postgres://a,b/db?target_session_attrs=any")?.wanted, "any");
  });

  it("may name a folder of sockets", () => {
    const url = "postgres:///slipway?host=/run/postgresql";
    assert.deepEqual(parseAddresses(url)?.urls, [url]);
  });

  for (const url of [
    "http://db.example/slipway",
    "not a url",
    "postgres://a:5432,b:port/slipway",
    "postgres://a,,b/slipway",
    "postgres://a,b/slipway?target_session_attrs=standby",
  ]) {
    it(`is refused as ${url}`, () => assert.equal(parseAddresses(url), null));
  }
});
