import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findAddressFault, parseAddresses } from "./addresses.ts";

describe("a connection string", () => {
  it("with one host stays as it is, and means a server that takes writes", () => {
    const url = "postgres://app:word@db.example/slipway?sslmode=verify-full";
    assert.deepEqual(parseAddresses(url), { urls: [url], required: "read-write" });
  });

  it("with several hosts is one for each, with user, database and parameters", () => {
    const after = "/slipway?target_session_attrs=primary&sslmode=verify-full";
    assert.deepEqual(parseAddresses(`postgresql://app:w%40rd@a:5432,b.example:5433,[::1]:5434,c${after}`), {
      urls: ["a:5432", "b.example:5433", "[::1]:5434", "c"].map(
        (host) => `postgresql://app:w%40rd@${host}${after}`,
      ),
      required: "primary",
    });
  });

  it("may say that any server will do", () => {
    assert.equal(parseAddresses("postgres://a,b/db?target_session_attrs=any")?.required, "any");
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

describe("what is wrong with a connection string", () => {
  const cases: readonly (readonly [text: string, says: RegExp | null])[] = [
    ["postgres://app:zq%23qz%40@db:5432/slipway", null],
    ["postgres://app:zq@qz@db/slipway", null],
    ["postgresql://a,b/db?target_session_attrs=any&application_name=x@y", null],
    ["postgres:///slipway", null],
    ["postgres://app:zq#qz@db/slipway", /a # in its user name or password.* Encode # as %23/],
    ["postgres://app:zq/qz@db/slipway", /Encode [/] as %2F/],
    ["postgres://app:5432/qz@db/slipway", /Encode [/] as %2F/],
    ["postgres://app:zq?qz@db/slipway", /Encode [?] as %3F/],
    ["postgres://db/slipway#main", /Encode # as %23/],
    ["postgres://app:zq%@db/slipway", /Encode % as %25/],
    ["postgres://app:x@db:port/slipway", /no valid host or port/],
    ["postgres://app:x@db:99999/slipway", /no valid host or port/],
    ["postgres://app:x@a,,b/slipway", /no valid host or port/],
    [
      "postgres://db/slipway?target_session_attrs=standby",
      /target_session_attrs of read-write, primary, any/,
    ],
    ["db.example/slipway", /begins with postgres:[/][/]/],
  ];
  for (const [text, says] of cases)
    it(`is found in ${text}`, () => {
      const fault = findAddressFault(text);
      if (says === null) assert.equal(fault, null);
      else assert.match(fault ?? "", says);
      assert.doesNotMatch(fault ?? "", /zq|qz/);
    });
});
