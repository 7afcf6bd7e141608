import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CLOUD_ERROR_CODES,
  CloudError,
  type CloudErrorCode,
  type CloudErrorKind,
} from "../../../cloud/cloud.ts";
import type { Domain } from "../custom-domain.ts";
import type { GroupStep } from "./group-step.ts";
import { decideRefusal } from "./decide-refusal.ts";
import { certificate, domain } from "../testing.ts";

const A = "a.example.com";
const B = "b.example.com";
const attached = domain(A, { status: "ATTACHED" });
const fresh = domain(B, { status: "ATTACHING" });
const leaving = domain(B, { status: "DETACHING", isDesired: false });
const onBoth = certificate("c1", [A, B]);
const request: GroupStep = { kind: "requestCertificate", certificate: onBoth };

function update(added: readonly string[]): GroupStep {
  return {
    kind: "updateDistribution",
    aliases: [A, B],
    added,
    certificateId: "arn:c1",
    etag: "e1",
    certificate: onBoth,
  };
}
const removal: GroupStep = {
  kind: "updateDistribution",
  aliases: [A],
  added: [],
  certificateId: "arn:c1",
  etag: "e1",
  certificate: null,
};

function refusal(kind: CloudErrorKind, code: CloudErrorCode): CloudError {
  return new CloudError(kind, code, "test", "Refused.");
}

describe("what a refusal of the cloud means", () => {
  const rows: readonly [string, readonly Domain[], GroupStep | null, CloudError, object][] = [
    [
      "a temporary failure fails no domain",
      [fresh],
      request,
      refusal("retryable", "THROTTLED"),
      { kind: "tryAgain" },
    ],
    [
      "a missing certificate is looked for again",
      [fresh],
      update([B]),
      refusal("gone", "NOT_FOUND"),
      { kind: "tryAgain" },
    ],
    [
      "a denial is shown on all waiting domains, whatever was denied",
      [attached, fresh],
      null,
      refusal("denied", "ACCESS_DENIED"),
      { kind: "fail", domains: [fresh], code: "Cloud:ACCOUNT:Error:ACCESS_DENIED", isTriedAgain: false },
    ],
    [
      "a removal that is denied is shown and tried again",
      [attached, leaving],
      removal,
      refusal("denied", "ACCESS_DENIED"),
      { kind: "fail", domains: [leaving], code: "Cloud:ACCOUNT:Error:ACCESS_DENIED", isTriedAgain: true },
    ],
    [
      "a denial that no domain waits for is tried again",
      [attached],
      null,
      refusal("denied", "ACCESS_DENIED"),
      { kind: "tryAgain" },
    ],
    [
      "too many names fail the new ones, and the request is forgotten",
      [attached, fresh],
      request,
      refusal("limit", "CERTIFICATE_NAMES_LIMIT"),
      {
        kind: "fail",
        domains: [fresh],
        code: "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT",
        forget: onBoth,
      },
    ],
    [
      "used up requests are a quota of their own",
      [fresh],
      request,
      refusal("limit", "CERTIFICATE_REQUEST_QUOTA"),
      { kind: "fail", domains: [fresh], code: "Cloud:CERT:Error:REQUEST_QUOTA_EXCEEDED" },
    ],
    [
      "a refused replacement fails no domain and is put off",
      [attached],
      request,
      refusal("limit", "CERTIFICATE_REQUEST_QUOTA"),
      { kind: "putOffReplacement", isMade: false },
    ],
    [
      "a certificate that is only looked for to be deleted is not there",
      [fresh],
      { kind: "requestCertificate", certificate: { ...onBoth, isAbandoned: true } },
      refusal("limit", "CERTIFICATE_NAMES_LIMIT"),
      { kind: "fail", domains: [] },
    ],
    [
      "one name that is elsewhere is refused",
      [attached, fresh],
      update([B]),
      refusal("invalid", "ALIAS_IN_USE"),
      { kind: "fail", domains: [fresh], code: "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE", abandon: null },
    ],
    [
      "of several names each is tried separately",
      [domain(A), fresh],
      update([A, B]),
      refusal("invalid", "ALIAS_IN_USE"),
      { kind: "attachOneByOne", names: [A, B] },
    ],
    [
      "too many aliases fail the new ones",
      [attached, fresh],
      update([B]),
      refusal("limit", "TOO_MANY_ALIASES"),
      { kind: "fail", domains: [fresh], code: "Cloud:CDN:Error:TOO_MANY_DOMAINS", abandon: null },
    ],
    [
      "an unusable certificate is given up",
      [attached, fresh],
      update([B]),
      refusal("invalid", "CERTIFICATE_UNUSABLE"),
      { kind: "fail", domains: [fresh], code: "Cloud:CERT:Error:FAILED", abandon: onBoth },
    ],
    [
      "an unusable replacement fails no domain and is put off",
      [attached],
      update([]),
      refusal("invalid", "CERTIFICATE_UNUSABLE"),
      { kind: "putOffReplacement", isMade: true },
    ],
    [
      "a swap that is refused for another reason is tried again",
      [attached],
      update([]),
      refusal("invalid", "INVALID_REQUEST"),
      { kind: "tryAgain" },
    ],
    [
      "a removal that is refused is shown and tried again",
      [attached, leaving],
      removal,
      refusal("invalid", "INVALID_REQUEST"),
      { kind: "fail", domains: [leaving], code: "Cloud:CDN:Error:NOT_READY", isTriedAgain: true },
    ],
    [
      "a certificate that cannot be deleted fails no domain",
      [attached, fresh],
      { kind: "deleteCertificate", certificate: onBoth },
      refusal("invalid", "INVALID_REQUEST"),
      { kind: "tryAgain" },
    ],
  ];
  for (const [sentence, domains, step, error, expected] of rows) {
    it(sentence, () => {
      const decided = decideRefusal({ domains, certificates: [] }, step, error);
      assert.deepEqual({ ...decided, ...expected }, decided);
    });
  }

  it("spares names of a request that another certificate was accepted for", () => {
    const accepted = certificate("c0", [A]);
    const waiting = { domains: [domain(A), fresh], certificates: [accepted, onBoth] };
    const decided = decideRefusal(waiting, request, refusal("limit", "CERTIFICATE_NAMES_LIMIT"));
    assert.deepEqual(decided.kind === "fail" && decided.domains, [fresh]);
  });

  it("holds back half of the names of a request that one of them makes invalid", () => {
    const waiting = { domains: [domain(A), fresh], certificates: [onBoth] };
    const decided = decideRefusal(waiting, request, refusal("invalid", "INVALID_REQUEST"));
    assert.deepEqual(decided, { kind: "holdBack", domains: [fresh], forget: onBoth });
  });

  it("tries each name separately if the distribution has no room for all, or refuses one", () => {
    const waiting = { domains: [domain(A), fresh], certificates: [onBoth] };
    for (const [kind, code] of [
      ["limit", "TOO_MANY_ALIASES"],
      ["invalid", "INVALID_REQUEST"],
    ] as const)
      assert.equal(decideRefusal(waiting, update([A, B]), refusal(kind, code)).kind, "attachOneByOne");
  });

  it("never fails a domain that is served, whatever the code", () => {
    for (const step of [null, request, update([B]), update([]), removal]) {
      for (const kind of ["retryable", "denied", "gone", "limit", "invalid"] as const) {
        for (const code of CLOUD_ERROR_CODES) {
          const decided = decideRefusal(
            { domains: [attached, fresh], certificates: [] },
            step,
            refusal(kind, code),
          );
          if (decided.kind === "fail") assert.ok(!decided.domains.includes(attached), `${kind} ${code}`);
        }
      }
    }
  });
});
