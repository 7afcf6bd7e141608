import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CertificateSeen, DistributionSeen } from "../cloud/cloud.ts";
import type { Certificate, Domain } from "./custom-domain.ts";
import {
  codeOfFailure,
  decideGroup,
  type GroupIntended,
  type GroupSeen,
  REQUEST_LAG_MS,
} from "./decide-group.ts";

const NOW = new Date("2026-01-04T00:00:00Z");
const HOUR_MS = 3_600_000;

function domain(name: string, changes: Partial<Domain> = {}): Domain {
  return {
    organizationId: "org_1",
    id: `dom_${name}`,
    groupId: "group_1",
    svcAttachmentId: `att_${name}`,
    name,
    type: "SUBDOMAIN",
    status: "PENDING",
    isWanted: true,
    lastAttachmentError: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

function certificate(id: string, names: readonly string[], changes: Partial<Certificate> = {}): Certificate {
  return {
    organizationId: "org_1",
    id,
    groupId: "group_1",
    names,
    status: "PENDING_VALIDATION",
    providerId: `arn:${id}`,
    requestedAt: NOW,
    validationDeadlineAt: new Date(NOW.getTime() + 72 * HOUR_MS),
    issuedAt: null,
    expiresAt: null,
    renewalStatus: null,
    isAbandoned: false,
    createdAt: NOW,
    ...changes,
  };
}

function seenCertificate(
  id: string,
  names: readonly string[],
  changes: Partial<CertificateSeen> = {},
): CertificateSeen {
  return {
    id: `arn:${id}`,
    status: "PENDING_VALIDATION",
    failureReason: null,
    domains: names.map((name) => ({
      name,
      validated: false,
      record: { name: `_x.${name}`, type: "CNAME", value: "_y.example" },
    })),
    requestedAt: NOW,
    issuedAt: null,
    expiresAt: null,
    renewalStatus: null,
    ...changes,
  };
}

function distribution(changes: Partial<DistributionSeen> = {}): DistributionSeen {
  return {
    id: "E1",
    domainName: "d1.cdn.example",
    aliases: [],
    certificateId: null,
    enabled: true,
    deployed: true,
    etag: "e1",
    ...changes,
  };
}

type Case = {
  readonly intended?: Partial<GroupIntended>;
  readonly seen?: Partial<{
    certificates: Record<string, CertificateSeen | null>;
    distribution: GroupSeen["distribution"];
  }>;
  readonly now?: Date;
};

function decide({ intended = {}, seen = {}, now = NOW }: Case) {
  return decideGroup(
    { isDeleting: false, domains: [], certificates: [], namesOfOthers: new Set(), ...intended },
    {
      certificates: new Map(Object.entries(seen.certificates ?? {})),
      distribution: seen.distribution ?? distribution(),
    },
    now,
  );
}

const A = "a.example.com";
const B = "b.example.com";
const ISSUED = { status: "ISSUED", issuedAt: NOW } as const;
const onA = { certificates: [certificate("c1", [A])] };
const servesA = distribution({ aliases: [A], certificateId: "arn:c1" });

describe("the next step of a group", () => {
  const rows: readonly [string, Case, object][] = [
    [
      "a new domain needs a certificate",
      { intended: { domains: [domain(A)] } },
      { kind: "planCertificate", names: [A] },
    ],
    [
      "a planned certificate is requested",
      { intended: { domains: [domain(A)], certificates: [certificate("c1", [A], { providerId: null })] } },
      { kind: "requestCertificate" },
    ],
    [
      "a requested certificate that the provider does not know yet is waited for",
      {
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: null } },
        now: new Date(NOW.getTime() + REQUEST_LAG_MS - 1),
      },
      { kind: "waitForRecords" },
    ],
    [
      "a requested certificate that stays unknown is given up",
      {
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: null } },
        now: new Date(NOW.getTime() + REQUEST_LAG_MS),
      },
      { kind: "abandonCertificate" },
    ],
    [
      "records are waited for until all names have one",
      {
        intended: { domains: [domain(A), domain(B)], certificates: [certificate("c1", [A, B])] },
        seen: {
          certificates: {
            c1: seenCertificate("c1", [A, B], {
              domains: [
                { name: A, validated: false, record: { name: "_x", type: "CNAME", value: "_y" } },
                { name: B, validated: false, record: null },
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
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A]) } },
        now: new Date(NOW.getTime() + 72 * HOUR_MS - 60_000),
      },
      { kind: "waitForValidation" },
    ],
    [
      "validation is over at 72 h",
      {
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A]) } },
        now: new Date(NOW.getTime() + 72 * HOUR_MS),
      },
      { kind: "failDomains", names: [A], code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
    ],
    [
      "a certificate that was issued late still works",
      {
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A], ISSUED) } },
        now: new Date(NOW.getTime() + 80 * HOUR_MS),
      },
      { kind: "updateDistribution", aliases: [A], certificateId: "arn:c1" },
    ],
    [
      "the provider's own time-out fails the domains",
      {
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A], { status: "VALIDATION_TIMED_OUT" }) } },
      },
      { kind: "failDomains", code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
    ],
    [
      "a failure fails the new domains alone, not those that are served",
      {
        intended: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        seen: {
          certificates: {
            c1: seenCertificate("c1", [A], ISSUED),
            c2: seenCertificate("c2", [A, B], { status: "FAILED", failureReason: "CAA_ERROR" }),
          },
          distribution: servesA,
        },
      },
      { kind: "failDomains", names: [B], code: "Cloud:CERT:Error:CAA_BLOCKED" },
    ],
    [
      "a name that another organization proved first is refused",
      {
        intended: { domains: [domain(A)], ...onA, namesOfOthers: new Set([A]) },
        seen: { certificates: { c1: seenCertificate("c1", [A], ISSUED) } },
      },
      { kind: "failDomains", names: [A], code: "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE" },
    ],
    [
      "an issued certificate waits for the distribution",
      {
        intended: { domains: [domain(A)], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A], ISSUED) }, distribution: "absent" },
      },
      { kind: "waitForDistribution" },
    ],
    [
      "names and certificate go onto the distribution in one update",
      {
        intended: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        seen: {
          certificates: { c1: seenCertificate("c1", [A], ISSUED), c2: seenCertificate("c2", [A, B], ISSUED) },
          distribution: servesA,
        },
      },
      { kind: "updateDistribution", aliases: [A, B], certificateId: "arn:c2", etag: "e1" },
    ],
    [
      "an update that is not live yet is waited for",
      {
        intended: { domains: [domain(A, { status: "ATTACHING" })], ...onA },
        seen: {
          certificates: { c1: seenCertificate("c1", [A], ISSUED) },
          distribution: { ...servesA, deployed: false },
        },
      },
      { kind: "waitForDeploy" },
    ],
    [
      "a live update makes its domains ATTACHED",
      {
        intended: { domains: [domain(A, { status: "ATTACHING" })], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "markAttached", names: [A] },
    ],
    [
      "a replaced certificate is given up once the new one serves",
      {
        intended: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B, { status: "ATTACHED" })],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        seen: {
          certificates: { c1: seenCertificate("c1", [A], ISSUED), c2: seenCertificate("c2", [A, B], ISSUED) },
          distribution: distribution({ aliases: [A, B], certificateId: "arn:c2" }),
        },
      },
      { kind: "abandonCertificate", certificate: certificate("c1", [A]) },
    ],
    [
      "a certificate that was given up is deleted",
      { intended: { certificates: [certificate("c1", [A], { isAbandoned: true })] } },
      { kind: "deleteCertificate" },
    ],
    [
      "a domain that is to go leaves the distribution first, on the certificate that covers the rest",
      {
        intended: {
          domains: [domain(A, { status: "ATTACHED" }), domain(B, { status: "DETACHING", isWanted: false })],
          certificates: [certificate("c2", [A, B])],
        },
        seen: {
          certificates: { c2: seenCertificate("c2", [A, B], ISSUED) },
          distribution: distribution({ aliases: [A, B], certificateId: "arn:c2" }),
        },
      },
      { kind: "updateDistribution", aliases: [A], certificateId: "arn:c2" },
    ],
    [
      "the last domain takes the certificate off with it",
      {
        intended: { domains: [domain(A, { status: "DETACHING", isWanted: false })], ...onA },
        seen: { certificates: { c1: seenCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "updateDistribution", aliases: [], certificateId: null },
    ],
    [
      "a domain is forgotten only when its removal is live",
      {
        intended: { domains: [domain(A, { isWanted: false })] },
        seen: { distribution: distribution({ deployed: false }) },
      },
      { kind: "waitForDeploy" },
    ],
    [
      "a domain whose removal is live is forgotten",
      { intended: { domains: [domain(A, { isWanted: false })] } },
      { kind: "forgetDomains" },
    ],
    [
      "a certificate that names a removed domain too serves on",
      {
        intended: { domains: [domain(A, { status: "ATTACHED" })], certificates: [certificate("c2", [A, B])] },
        seen: {
          certificates: { c2: seenCertificate("c2", [A, B], ISSUED) },
          distribution: distribution({ aliases: [A], certificateId: "arn:c2" }),
        },
      },
      { kind: "settled" },
    ],
    [
      "and is replaced by an exact one when its renewal waits for the name that is gone",
      {
        intended: { domains: [domain(A, { status: "ATTACHED" })], certificates: [certificate("c2", [A, B])] },
        seen: {
          certificates: {
            c2: seenCertificate("c2", [A, B], { ...ISSUED, renewalStatus: "PENDING_VALIDATION" }),
          },
          distribution: distribution({ aliases: [A], certificateId: "arn:c2" }),
        },
      },
      { kind: "planCertificate", names: [A] },
    ],
    [
      "a domain in error asks for nothing",
      { intended: { domains: [domain(A, { status: "ERROR_ATTACHING" })] } },
      { kind: "settled", certificate: null },
    ],
    [
      "a group that is deleted and has nothing left is released",
      { intended: { isDeleting: true } },
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
