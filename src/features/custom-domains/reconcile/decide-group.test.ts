import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CERTIFICATE_STATUSES, type CertificateStatus } from "../../../cloud/cloud.ts";
import { STRAGGLER_MS } from "../../../cloud/calls/stragglers.ts";
import { DOMAIN_STATUSES, type DomainStatus } from "../custom-domain.ts";
import { codeOfFailure } from "./decide-unissued.ts";
import { REQUEST_LAG_MS } from "./decide-group.ts";
import {
  type Case,
  certificate,
  CHANGED_AT,
  decide,
  distribution,
  domain,
  HOUR_MS,
  NOW,
  observedCertificate,
} from "../testing.ts";

const A = "a.example.com";
const B = "b.example.com";
const ISSUED = { status: "ISSUED", issuedAt: NOW } as const;
const onA = { certificates: [certificate("c1", [A])] };
const servesA = distribution({ aliases: [A], certificateId: "arn:c1" });

describe("the next step of a group", () => {
  const rows: readonly [string, Case, object][] = [
    [
      "a new domain needs a certificate",
      { desired: { domains: [domain(A)] } },
      { kind: "planCertificate", names: [A] },
    ],
    [
      "a planned certificate is requested",
      { desired: { domains: [domain(A)], certificates: [certificate("c1", [A], { providerId: null })] } },
      { kind: "requestCertificate" },
    ],
    [
      "a requested certificate that the provider does not know yet is waited for",
      {
        desired: { domains: [domain(A)], ...onA },
        observed: { certificates: { c1: null } },
        now: new Date(NOW.getTime() + REQUEST_LAG_MS - 1),
      },
      { kind: "waitForRecords" },
    ],
    [
      "a requested certificate that stays unknown is given up",
      {
        desired: { domains: [domain(A)], ...onA },
        observed: { certificates: { c1: null } },
        now: new Date(NOW.getTime() + REQUEST_LAG_MS),
      },
      { kind: "abandonCertificate" },
    ],
    [
      "records are waited for until all names have one",
      {
        desired: { domains: [domain(A), domain(B)], certificates: [certificate("c1", [A, B])] },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A, B], {
              domains: [
                {
                  name: A,
                  validated: false,
                  failed: false,
                  record: { name: "_x", type: "CNAME", value: "_y" },
                },
                { name: B, validated: false, failed: false, record: null },
              ],
            }),
          },
        },
      },
      { kind: "waitForRecords" },
    ],
    [
      "known records are shown, and validation is waited for at 71 h 59 min",
      {
        desired: { domains: [domain(A)], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A]) } },
        now: new Date(NOW.getTime() + 72 * HOUR_MS - 60_000),
      },
      { kind: "waitForValidation" },
    ],
    [
      "validation ends at 72 h",
      {
        desired: { domains: [domain(A)], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A]) } },
        now: new Date(NOW.getTime() + 72 * HOUR_MS),
      },
      { kind: "failDomains", names: [A], code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
    ],
    [
      "a certificate that was issued late still works",
      {
        desired: { domains: [domain(A, { status: "ATTACHING" })], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) } },
        now: new Date(NOW.getTime() + 80 * HOUR_MS),
      },
      { kind: "updateDistribution", aliases: [A], certificateId: "arn:c1" },
    ],
    [
      "the provider's own time-out fails the domains",
      {
        desired: { domains: [domain(A)], ...onA },
        observed: {
          certificates: { c1: observedCertificate("c1", [A], { status: "VALIDATION_TIMED_OUT" }) },
        },
      },
      { kind: "failDomains", code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
    ],
    [
      "a failure fails only the new domains, not the served ones",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A], ISSUED),
            c2: observedCertificate("c2", [A, B], { status: "FAILED", failureReason: "CAA_ERROR" }),
          },
          distribution: servesA,
        },
      },
      { kind: "failDomains", names: [B], code: "Cloud:CERT:Error:CAA_BLOCKED" },
    ],
    [
      "a proven name is claimed before it goes onto the distribution",
      {
        desired: { domains: [domain(A)], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) } },
      },
      { kind: "claimNames", domains: [domain(A)] },
    ],
    [
      "an issued certificate waits for the distribution",
      {
        desired: { domains: [domain(A)], ...onA, distribution: { isMade: false, refusal: null } },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: "absent" },
      },
      { kind: "waitForDistribution" },
    ],
    [
      "names and certificate go onto the distribution in one update",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B, { status: "ATTACHING" })],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A], ISSUED),
            c2: observedCertificate("c2", [A, B], ISSUED),
          },
          distribution: servesA,
        },
      },
      { kind: "updateDistribution", aliases: [A, B], added: [B], certificateId: "arn:c2", etag: "e1" },
    ],
    [
      "an update that is not live yet is waited for",
      {
        desired: { domains: [domain(A, { status: "ATTACHING" })], ...onA },
        observed: {
          certificates: { c1: observedCertificate("c1", [A], ISSUED) },
          distribution: { ...servesA, deployed: false },
        },
      },
      { kind: "waitForDeploy", since: CHANGED_AT },
    ],
    [
      "a live update makes its domains ATTACHED",
      {
        desired: { domains: [domain(A, { status: "ATTACHING" })], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "markAttached", names: [A] },
    ],
    [
      "a replaced certificate is given up once the new one serves",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B, { status: "ATTACHED" })],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A], ISSUED),
            c2: observedCertificate("c2", [A, B], ISSUED),
          },
          distribution: distribution({ aliases: [A, B], certificateId: "arn:c2" }),
        },
      },
      { kind: "abandonCertificate", certificate: certificate("c1", [A]) },
    ],
    [
      "a certificate that was given up is deleted",
      { desired: { certificates: [certificate("c1", [A], { isAbandoned: true })] } },
      { kind: "deleteCertificate" },
    ],
    [
      "a certificate that was given up is kept while a request of its token may still arrive",
      {
        desired: {
          certificates: [
            certificate("c1", [A], {
              isAbandoned: true,
              requestStartedAt: new Date(NOW.getTime() + 1 - STRAGGLER_MS),
            }),
          ],
        },
      },
      { kind: "waitForStraggler", until: new Date(NOW.getTime() + 1) },
    ],
    [
      "and deleted when none can",
      {
        desired: {
          certificates: [
            certificate("c1", [A], {
              isAbandoned: true,
              requestStartedAt: new Date(NOW.getTime() - STRAGGLER_MS),
            }),
          ],
        },
      },
      { kind: "deleteCertificate" },
    ],
    [
      "a domain that is to go leaves the distribution first, on the certificate that covers the rest",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B, { status: "DETACHING", isDesired: false })],
          certificates: [certificate("c2", [A, B])],
        },
        observed: {
          certificates: { c2: observedCertificate("c2", [A, B], ISSUED) },
          distribution: distribution({ aliases: [A, B], certificateId: "arn:c2" }),
        },
      },
      { kind: "updateDistribution", aliases: [A], certificateId: "arn:c2" },
    ],
    [
      "the last domain takes the certificate off with it",
      {
        desired: { domains: [domain(A, { status: "DETACHING", isDesired: false })], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "updateDistribution", aliases: [], certificateId: null },
    ],
    [
      "a domain is forgotten only when its removal is live",
      {
        desired: { domains: [domain(A, { isDesired: false })] },
        observed: { distribution: distribution({ deployed: false }) },
      },
      { kind: "waitForDeploy", since: CHANGED_AT },
    ],
    [
      "a domain whose removal is live is forgotten",
      { desired: { domains: [domain(A, { isDesired: false })] } },
      { kind: "forgetDomains" },
    ],
    [
      "a certificate that names a removed domain too serves on",
      {
        desired: { domains: [domain(A, { status: "ATTACHED" })], certificates: [certificate("c2", [A, B])] },
        observed: {
          certificates: { c2: observedCertificate("c2", [A, B], ISSUED) },
          distribution: distribution({ aliases: [A], certificateId: "arn:c2" }),
        },
      },
      { kind: "settled" },
    ],
    [
      "and is replaced by an exact one when its renewal waits for the deleted name",
      {
        desired: { domains: [domain(A, { status: "ATTACHED" })], certificates: [certificate("c2", [A, B])] },
        observed: {
          certificates: {
            c2: observedCertificate("c2", [A, B], { ...ISSUED, renewalStatus: "PENDING_VALIDATION" }),
          },
          distribution: distribution({ aliases: [A], certificateId: "arn:c2" }),
        },
      },
      { kind: "planCertificate", names: [A] },
    ],
    [
      "a domain in error asks for nothing",
      { desired: { domains: [domain(A, { status: "ERROR_ATTACHING" })] } },
      { kind: "settled", certificate: null },
    ],
    [
      "a group that is deleted and has nothing left is released",
      { desired: { isDeleting: true } },
      { kind: "releaseGroup" },
    ],
  ];
  for (const [sentence, given, expected] of rows) {
    it(sentence, () => {
      const step = decide(given);
      assert.deepEqual({ ...step, ...expected }, step);
    });
  }
});

describe("the first step for a single domain", () => {
  const kinds: Readonly<Record<DomainStatus, string>> = {
    PENDING: "planCertificate",
    CREATING: "planCertificate",
    AWAITING_VERIFICATION_RECORDS_TO_BE_SET: "planCertificate",
    ATTACHING: "planCertificate",
    ATTACHED: "planCertificate",
    ERROR_ATTACHING: "settled",
    DETACHING: "forgetDomains",
    ERROR_DETACHING: "forgetDomains",
  };
  for (const status of DOMAIN_STATUSES) {
    it(`that is ${status} is ${kinds[status]}`, () => {
      const isDesired = status !== "DETACHING" && status !== "ERROR_DETACHING";
      const step = decide({ desired: { domains: [domain(A, { status, isDesired })] } });
      assert.equal(step.kind, kinds[status]);
    });
  }
});

describe("the step for a new domain whose certificate", () => {
  const steps: Readonly<Record<CertificateStatus, object>> = {
    PENDING_VALIDATION: { kind: "waitForValidation" },
    ISSUED: { kind: "claimNames" },
    INACTIVE: { kind: "failDomains", code: "Cloud:CERT:Error:FAILED" },
    EXPIRED: { kind: "failDomains", code: "Cloud:CERT:Error:FAILED" },
    REVOKED: { kind: "failDomains", code: "Cloud:CERT:Error:FAILED" },
    FAILED: { kind: "failDomains", code: "Cloud:CERT:Error:FAILED" },
    VALIDATION_TIMED_OUT: { kind: "failDomains", code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
  };
  for (const status of CERTIFICATE_STATUSES) {
    it(`is ${status} is ${JSON.stringify(steps[status])}`, () => {
      const step = decide({
        desired: { domains: [domain(A)], ...onA },
        observed: { certificates: { c1: observedCertificate("c1", [A], { status }) } },
      });
      assert.deepEqual({ ...step, ...steps[status] }, step);
    });
  }
});

describe("the provider's failure reasons", () => {
  for (const [reason, code] of [
    ["CAA_ERROR", "Cloud:CERT:Error:CAA_BLOCKED"],
    ["DOMAIN_NOT_ALLOWED", "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED"],
    ["INVALID_PUBLIC_DOMAIN", "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED"],
    ["A_REASON_OF_NEXT_YEAR", "Cloud:CERT:Error:FAILED"],
    [null, "Cloud:CERT:Error:FAILED"],
  ] as const) {
    it(`${reason} is ${code}`, () => assert.equal(codeOfFailure(reason), code));
  }
});
