import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readProblem, readRetryAfter, toUnanswered } from "./acme-error.ts";
import { type Candidate, chooseDirectory } from "./decide-directory.ts";
import { judgeFailure } from "./decide-failure.ts";
import { chooseMethod, restAfterFailure, restBeforeLook, type Seen } from "./decide-method.ts";
import { explainClock } from "./directories.ts";

const NOW = 1_000_000;

describe("the challenge of an order", () => {
  const seen: Seen = {
    leadsHere: false,
    addresses: [],
    answersHttp: false,
    answersAlpn: false,
    isDelegated: false,
    failure: null,
  };
  const record = { name: "_acme-challenge.a.example", value: "0123.acme.edge.example" };
  const choose = (name: string, what: Partial<Seen>, failed: Parameters<typeof chooseMethod>[2] = null) =>
    chooseMethod(name, { ...seen, ...what }, failed, record, "edge.example");
  const here = { leadsHere: true, addresses: ["192.0.2.1"] };

  const chosen: readonly (readonly [
    string,
    string,
    Partial<Seen>,
    Parameters<typeof chooseMethod>[2],
    string,
  ])[] = [
    ["http-01 where port 80 leads here", "a.example", { ...here, answersHttp: true }, null, "http-01"],
    [
      "http-01 before the record",
      "a.example",
      { ...here, answersHttp: true, isDelegated: true },
      null,
      "http-01",
    ],
    [
      "tls-alpn-01 where only port 443 does",
      "a.example",
      { ...here, answersAlpn: true },
      null,
      "tls-alpn-01",
    ],
    ["dns-01 for a name elsewhere with its record", "a.example", { isDelegated: true }, null, "dns-01"],
    [
      "dns-01 for a wildcard, always",
      "*.a.example",
      { ...here, answersHttp: true, isDelegated: true },
      null,
      "dns-01",
    ],
    [
      "another than the failed challenge, if possible",
      "a.example",
      { ...here, answersHttp: true, isDelegated: true },
      "http-01",
      "dns-01",
    ],
    [
      "the same again, if it is the only one",
      "a.example",
      { ...here, answersHttp: true },
      "http-01",
      "http-01",
    ],
  ];
  for (const [what, name, state, failed, method] of chosen)
    test(what, () => assert.deepEqual(choose(name, state, failed), { method }));

  const waits: readonly (readonly [string, Partial<Seen>, string, RegExp])[] = [
    [
      "a.example",
      {},
      "notPointedHere",
      /a\.example has no address, .* Point it to edge\.example, or set _acme-/,
    ],
    ["a.example", { addresses: ["192.0.2.9"] }, "notPointedHere", /leads to 192\.0\.2\.9, not to this edge/],
    ["a.example", here, "edgeNotReached", /Open ports 80 and 443/],
    ["a.example", { failure: "The servers are silent." }, "lookUpFailed", /^The servers are silent\.$/],
    [
      "*.a.example",
      { ...here, answersHttp: true },
      "notPointedHere",
      /needs its validation record: set _acme-/,
    ],
  ];
  for (const [name, state, type, message] of waits) {
    test(`${name} waits: ${type} ${String(message)}`, () => {
      const method = choose(name, state);
      assert.ok("waitFor" in method);
      assert.equal(method.type, type);
      assert.match(method.waitFor, message);
    });
  }

  test("looks are frequent while the request is new, and never rarer than every five minutes", () => {
    assert.equal(restBeforeLook(0), 1_000);
    assert.equal(restBeforeLook(60_000), 1_000);
    assert.equal(restBeforeLook(3_600_000), 60_000);
    assert.equal(restBeforeLook(72 * 3_600_000), 300_000);
    assert.deepEqual([1, 2, 3].map(restAfterFailure), [5_000, 20_000, 80_000]);
    assert.equal(restAfterFailure(50), 6 * 3_600_000);
  });
});

describe("the CA of an order", () => {
  const ca = (directory: string, more: Partial<Candidate> = {}): Candidate => ({
    directory,
    isFailing: false,
    restUntil: 0,
    freeAt: 0,
    isRefused: false,
    ...more,
  });
  const down = { isFailing: true, restUntil: NOW + 500 };
  const cases: readonly (readonly [string, readonly Candidate[], boolean, unknown])[] = [
    ["the first", [ca("1"), ca("2")], true, { directory: "1" }],
    ["the second, while the first fails", [ca("1", down), ca("2")], true, { directory: "2" }],
    ["the first again after its rest", [ca("1", { isFailing: true }), ca("2")], true, { directory: "1" }],
    ["not after one failure", [ca("1", { restUntil: NOW + 9 }), ca("2")], true, { waitUntil: NOW + 9 }],
    ["not for a renewal with time left", [ca("1", down), ca("2")], false, { waitUntil: NOW + 500 }],
    [
      "the second when the budget is used up",
      [ca("1", { freeAt: NOW + 9 }), ca("2")],
      true,
      { directory: "2" },
    ],
    [
      "none while both rest",
      [ca("1", down), ca("2", { restUntil: NOW + 90 })],
      true,
      { waitUntil: NOW + 90 },
    ],
    [
      "the second when CAA refuses the first",
      [ca("1", { isRefused: true }), ca("2")],
      true,
      { directory: "2" },
    ],
    [
      "none when CAA refuses both",
      [ca("1", { isRefused: true }), ca("2", { isRefused: true })],
      true,
      "refused",
    ],
    ["one CA that rests", [ca("1", down)], true, { waitUntil: NOW + 500 }],
    ["one CA that is refused", [ca("1", { isRefused: true })], true, "refused"],
  ];
  for (const [what, candidates, mayChange, wanted] of cases)
    test(what, () => assert.deepEqual(chooseDirectory(candidates, mayChange, NOW), wanted));
});

describe("the meaning of a failure", () => {
  test("is final only where the CA will not change its mind", () => {
    assert.deepEqual(judgeFailure("caa", 1), { kind: "final", reason: "CAA_ERROR" });
    assert.deepEqual(judgeFailure("rejectedIdentifier", 1), { kind: "final", reason: "DOMAIN_NOT_ALLOWED" });
    for (const type of ["connection", "dns", "unauthorized", "tls", "incorrectResponse"])
      assert.deepEqual(judgeFailure(type, 9), { kind: "validation" });
    assert.deepEqual(judgeFailure("malformed", 3), { kind: "passing" });
    assert.deepEqual(judgeFailure("malformed", 4), { kind: "final", reason: "malformed" });
    assert.deepEqual(judgeFailure("rateLimited", 9), { kind: "passing" });
  });
});

describe("what a CA says", () => {
  test("Retry-After is seconds or a date, never in the past and at most a week ahead", () => {
    assert.equal(readRetryAfter("120", NOW), NOW + 120_000);
    assert.equal(readRetryAfter(new Date(NOW + 5_000).toUTCString(), NOW), NOW + 5_000);
    assert.equal(readRetryAfter(new Date(NOW - 5_000).toUTCString(), NOW), NOW);
    assert.equal(readRetryAfter("999999999", NOW), NOW + 7 * 86_400_000);
    for (const header of [undefined, "", "soon", "-1", "1.5x"])
      assert.equal(readRetryAfter(header, NOW), null);
  });

  test("a problem is one line, and the first of several counts", () => {
    const urn = "urn:ietf:params:acme:error:";
    const inner = { type: `${urn}caa`, detail: "line one\nline\u0007 two" };
    assert.deepEqual(readProblem({ type: `${urn}compound`, subproblems: [inner] }), {
      type: "caa",
      detail: "line one line two",
    });
    for (const value of [null, "x", {}, { type: "about:blank" }, { type: 3 }])
      assert.equal(readProblem(value), null);
    assert.equal(readProblem({ type: `${urn}dns`, detail: "x".repeat(999) })?.detail.length, 300);
  });

  test("a request without an answer is explained by its cause", () => {
    const of = (code: string) =>
      toUnanswered(Object.assign(new Error("x"), { code }), "https://ca.example/dir");
    assert.match(of("CERT_NOT_YET_VALID").message, /Check this machine's clock/);
    assert.match(of("UNABLE_TO_VERIFY_LEAF_SIGNATURE").message, /SLIPWAY_ACME_CA_FILE/);
    assert.match(of("ECONNABORTED").message, /did not answer in time/);
    assert.match(of("ENOTFOUND").message, /cannot be reached \(ENOTFOUND\)/);
  });

  test("a clock that differs is mentioned from five minutes on", () => {
    assert.equal(explainClock(null), "");
    assert.equal(explainClock(-299_000), "");
    assert.match(explainClock(600_000), /10 minutes ahead of the CA's/);
  });
});
