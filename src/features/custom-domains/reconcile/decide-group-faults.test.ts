import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attachmentError } from "./attachment-error.ts";
import type { AttachmentErrorCode, Domain } from "../custom-domain.ts";
import { PATIENCE_MS, TRIAL_MS } from "./decide-unissued.ts";
import { REPLACEMENT_REST_MS, REQUEST_LAG_MS, RETRY_DENIED_MS } from "./decide-group.ts";
import {
  type Case,
  certificate,
  CHANGED_AT,
  decide,
  distribution,
  domain,
  NOW,
  observedCertificate,
} from "../testing.ts";

const A = "a.example.com";
const B = "b.example.com";
const C = "c.example.com";
const ISSUED = { status: "ISSUED", issuedAt: NOW } as const;
const servesA = distribution({ aliases: [A], certificateId: "arn:c1" });
const attachedA = domain(A, { status: "ATTACHED" });

function failed(name: string, code: AttachmentErrorCode): Domain {
  return domain(name, { status: "ERROR_ATTACHING", lastAttachmentError: attachmentError(code, NOW) });
}
const REFUSAL = {
  at: B,
  owner: B,
  found: ['0 issue "other.example"'],
  setAt: B,
  value: '0 issue "amazon.com"',
  message: "They do not let amazon.com issue.",
  action: "Add a CAA record.",
};
const partlyValidated = observedCertificate("c1", [A, B], {
  domains: [A, B].map((name) => ({
    name,
    validated: name === A,
    failed: false,
    record: { name: `_x.${name}`, type: "CNAME", value: "_y.example" },
  })),
});
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

describe("the next step of a group after a change or a failure", () => {
  const rows: readonly [string, Case, object][] = [
    [
      "a certificate that lost its record at the provider is given up only when it serves nothing",
      {
        desired: { domains: [attachedA], certificates: [certificate("c1", [A])] },
        observed: { certificates: { c1: null }, distribution: servesA },
        now: later(REQUEST_LAG_MS),
      },
      { kind: "settled", againAt: null },
    ],
    [
      "a name that is live is marked so while another waits for its record",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHING" }), domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A], ISSUED), c2: observedCertificate("c2", [A, B]) },
          distribution: servesA,
        },
      },
      { kind: "markAttached", names: [A] },
    ],
    [
      "a name whose own certificate came does not wait for a name that was added after it",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHING" }), domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A], ISSUED), c2: observedCertificate("c2", [A, B]) },
        },
      },
      { kind: "updateDistribution", aliases: [A], added: [A], certificateId: "arn:c1" },
    ],
    [
      "of certificates that were overtaken only the newest may still help",
      {
        desired: {
          domains: [domain(A), domain(B), domain(C)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B]), certificate("c3", [A, B, C])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A]),
            c2: observedCertificate("c2", [A, B]),
            c3: observedCertificate("c3", [A, B, C]),
          },
        },
      },
      { kind: "abandonCertificate", certificate: certificate("c1", [A]) },
    ],
    [
      "a name whose certificate expired before it was attached needs another one at once",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHING" })],
          certificates: [certificate("c1", [A])],
          replaceNotBefore: later(REPLACEMENT_REST_MS),
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A], { status: "EXPIRED" }) },
          distribution: servesA,
        },
      },
      { kind: "planCertificate", names: [A] },
    ],
    [
      "a name that was not attached fails when the certificate after its expired one does",
      {
        desired: {
          domains: [domain(A, { status: "ATTACHING" })],
          certificates: [certificate("c1", [A]), certificate("c2", [A])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A], { status: "EXPIRED" }),
            c2: observedCertificate("c2", [A], { status: "VALIDATION_TIMED_OUT" }),
          },
          distribution: servesA,
        },
      },
      { kind: "failDomains", names: [A], code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
    ],
    [
      "the records of waiting names are shown, not of served names",
      {
        desired: {
          domains: [attachedA, domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A], ISSUED), c2: observedCertificate("c2", [A, B]) },
          distribution: { ...servesA, deployed: false },
        },
      },
      { kind: "waitForValidation", names: [B], deployingSince: CHANGED_AT },
    ],
    [
      "at a time-out only the names whose record was missing are to blame",
      {
        desired: { domains: [domain(A), domain(B)], certificates: [certificate("c1", [A, B])] },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A, B], {
              status: "VALIDATION_TIMED_OUT",
              domains: [
                { name: A, validated: true, failed: false, record: null },
                { name: B, validated: false, failed: false, record: null },
              ],
            }),
          },
        },
      },
      { kind: "failDomains", names: [B], code: "Cloud:CERT:Error:VALIDATION_TIMEOUT" },
    ],
    [
      "a failed certificate fails only the names that the DNS says CAA records refuse",
      {
        desired: { domains: [domain(A), domain(B)], certificates: [certificate("c1", [A, B])] },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A, B], { status: "FAILED", failureReason: "CAA_ERROR" }),
          },
          caa: { [B]: REFUSAL },
        },
      },
      { kind: "failDomains", names: [B], code: "Cloud:CERT:Error:CAA_BLOCKED" },
    ],
    ...[
      "DOMAIN_NOT_ALLOWED",
      "INVALID_PUBLIC_DOMAIN",
      "ADDITIONAL_VERIFICATION_REQUIRED",
      "CAA_ERROR",
      "NEW",
    ].map((failureReason): [string, Case, object] => [
      `a certificate that failed with ${failureReason} fails only the names that the provider marks`,
      {
        desired: { domains: [domain(A), domain(B)], certificates: [certificate("c1", [A, B])] },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A, B], {
              status: "FAILED",
              failureReason,
              domains: [
                { name: A, validated: true, failed: false, record: null },
                { name: B, validated: false, failed: true, record: null },
              ],
            }),
          },
        },
      },
      { kind: "failDomains", names: [B] },
    ]),
    [
      "if nothing says which name is to blame, half of them are tried first",
      {
        desired: {
          domains: [domain(A), domain(B), domain(C)],
          certificates: [certificate("c1", [A, B, C])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A, B, C], { status: "FAILED", failureReason: "OTHER" }),
          },
        },
      },
      { kind: "holdBack", names: [C], abandon: certificate("c1", [A, B, C]) },
    ],
    [
      "a name that another certificate was accepted for is not a suspect",
      {
        desired: {
          domains: [domain(A), domain(B)],
          certificates: [certificate("c1", [A]), certificate("c2", [A, B])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A]),
            c2: observedCertificate("c2", [A, B], { status: "FAILED", failureReason: "OTHER" }),
          },
        },
      },
      { kind: "failDomains", names: [B], code: "Cloud:CERT:Error:FAILED" },
    ],
    [
      "names that were held back follow when the others are served",
      {
        desired: {
          domains: [attachedA, domain(B, { isHeldBack: true })],
          certificates: [certificate("c1", [A])],
        },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "endHoldBack", domains: [domain(B, { isHeldBack: true })] },
    ],
    [
      "or when the others wait for a record of their own",
      {
        desired: {
          domains: [domain(A), domain(B, { isHeldBack: true })],
          certificates: [certificate("c1", [A])],
        },
        observed: { certificates: { c1: observedCertificate("c1", [A]) } },
        now: later(TRIAL_MS),
      },
      { kind: "endHoldBack" },
    ],
    [
      "names whose records are set do not wait for those of the others beyond a time",
      {
        desired: { domains: [domain(A), domain(B)], certificates: [certificate("c1", [A, B])] },
        observed: { certificates: { c1: partlyValidated } },
        now: later(PATIENCE_MS),
      },
      { kind: "planCertificate", names: [A] },
    ],
    [
      "and get one certificate for it",
      {
        desired: {
          domains: [domain(A), domain(B)],
          certificates: [certificate("c1", [A, B]), certificate("c2", [A], { providerId: null })],
        },
        observed: { certificates: { c1: partlyValidated } },
        now: later(PATIENCE_MS),
      },
      { kind: "requestCertificate", certificate: certificate("c2", [A], { providerId: null }) },
    ],
    [
      "a certificate that was requested again and serves no domain fails no domain",
      {
        desired: {
          domains: [attachedA],
          certificates: [certificate("c1", [A, B]), certificate("c2", [A])],
        },
        observed: {
          certificates: {
            c1: observedCertificate("c1", [A, B], { ...ISSUED, renewalStatus: "FAILED" }),
            c2: observedCertificate("c2", [A], { status: "FAILED", failureReason: "CAA_ERROR" }),
          },
          distribution: servesA,
        },
      },
      { kind: "putOffReplacement" },
    ],
    [
      "and no other is asked for before its time",
      {
        desired: {
          domains: [attachedA],
          certificates: [certificate("c1", [A, B])],
          replaceNotBefore: later(REPLACEMENT_REST_MS),
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A, B], { ...ISSUED, renewalStatus: "FAILED" }) },
          distribution: servesA,
        },
        now: later(REPLACEMENT_REST_MS - 1),
      },
      { kind: "settled", againAt: later(REPLACEMENT_REST_MS) },
    ],
    [
      "but then",
      {
        desired: {
          domains: [attachedA],
          certificates: [certificate("c1", [A, B])],
          replaceNotBefore: later(REPLACEMENT_REST_MS),
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A, B], { ...ISSUED, renewalStatus: "FAILED" }) },
          distribution: servesA,
        },
        now: later(REPLACEMENT_REST_MS),
      },
      { kind: "planCertificate", names: [A] },
    ],
    ...(["EXPIRED", "REVOKED", "INACTIVE"] as const).map((status): [string, Case, object] => [
      `a serving certificate that is ${status} is replaced and not taken away`,
      {
        desired: { domains: [attachedA], certificates: [certificate("c1", [A])] },
        observed: { certificates: { c1: observedCertificate("c1", [A], { status }) }, distribution: servesA },
      },
      { kind: "planCertificate", names: [A] },
    ]),
    [
      "a distribution that the account refuses fails the domains with its reason",
      {
        desired: {
          domains: [domain(A)],
          certificates: [certificate("c1", [A])],
          distribution: { isMade: false, refusal: { kind: "limit", code: "TOO_MANY_DISTRIBUTIONS" } },
        },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: "absent" },
      },
      {
        kind: "failDomains",
        names: [A],
        code: "Cloud:CDN:Error:NOT_READY",
        cause: "TOO_MANY_DISTRIBUTIONS",
        abandon: null,
      },
    ],
    [
      "a distribution that the account's owner deleted is made again",
      {
        desired: { domains: [attachedA], certificates: [certificate("c1", [A])] },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: "absent" },
      },
      { kind: "remakeDistribution" },
    ],
    [
      "a name in error leaves the distribution",
      {
        desired: {
          domains: [attachedA, failed(B, "Cloud:CDN:Error:NOT_READY")],
          certificates: [certificate("c1", [A, B])],
        },
        observed: {
          certificates: { c1: observedCertificate("c1", [A, B], ISSUED) },
          distribution: distribution({ aliases: [A, B], certificateId: "arn:c1" }),
        },
      },
      { kind: "updateDistribution", aliases: [A], added: [], certificateId: "arn:c1" },
    ],
    [
      "a certificate on a distribution without names is taken off it",
      {
        desired: { certificates: [certificate("c1", [A])] },
        observed: { distribution: distribution({ certificateId: "arn:c1" }) },
      },
      { kind: "updateDistribution", aliases: [], certificateId: null },
    ],
    [
      "the certificate of a name that is elsewhere is kept for the retry",
      {
        desired: {
          domains: [failed(A, "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE")],
          certificates: [certificate("c1", [A])],
        },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) } },
      },
      { kind: "settled", certificate: null },
    ],
    [
      "the certificate of a name that cannot have it is not",
      {
        desired: {
          domains: [failed(A, "Cloud:CERT:Error:FAILED")],
          certificates: [certificate("c1", [A])],
        },
        observed: { certificates: { c1: observedCertificate("c1", [A]) } },
      },
      { kind: "abandonCertificate" },
    ],
    [
      "nor is a certificate that has ended",
      {
        desired: {
          domains: [failed(A, "Cloud:ACCOUNT:Error:ACCESS_DENIED")],
          certificates: [certificate("c1", [A])],
        },
        observed: { certificates: { c1: observedCertificate("c1", [A], { status: "FAILED" }) } },
      },
      { kind: "abandonCertificate" },
    ],
    [
      "a domain that was denied access rests",
      {
        desired: { domains: [failed(A, "Cloud:ACCOUNT:Error:ACCESS_DENIED")] },
        now: later(RETRY_DENIED_MS - 1),
      },
      { kind: "settled", againAt: later(RETRY_DENIED_MS) },
    ],
    [
      "and is then tried unasked",
      {
        desired: { domains: [failed(A, "Cloud:ACCOUNT:Error:ACCESS_DENIED")] },
        now: later(RETRY_DENIED_MS),
      },
      { kind: "resumeDomains" },
    ],
    [
      "a domain with another error waits for a retry",
      {
        desired: { domains: [failed(A, "Cloud:CDN:Error:NOT_READY")] },
        now: later(1_000 * RETRY_DENIED_MS),
      },
      { kind: "settled", againAt: null },
    ],
    [
      "a certificate that was never asked for is forgotten",
      {
        desired: {
          certificates: [certificate("c1", [A], { providerId: null, requestedAt: null, isAbandoned: true })],
        },
      },
      { kind: "forgetCertificate" },
    ],
    [
      "one whose request's answer was lost is found by asking again, to be deleted",
      { desired: { certificates: [certificate("c1", [A], { providerId: null, isAbandoned: true })] } },
      { kind: "requestCertificate" },
    ],
    [
      "a domain in ERROR_DETACHING is still taken off",
      {
        desired: {
          domains: [domain(A, { status: "ERROR_DETACHING", isDesired: false })],
          certificates: [certificate("c1", [A])],
        },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "updateDistribution", aliases: [] },
    ],
    [
      "a group that is deleted takes off all its names, wanted or not",
      {
        desired: { isDeleting: true, domains: [attachedA], certificates: [certificate("c1", [A])] },
        observed: { certificates: { c1: observedCertificate("c1", [A], ISSUED) }, distribution: servesA },
      },
      { kind: "updateDistribution", aliases: [], certificateId: null },
    ],
    [
      "and gives up its certificate before it goes",
      { desired: { isDeleting: true, certificates: [certificate("c1", [A])] } },
      { kind: "abandonCertificate" },
    ],
  ];
  for (const [sentence, given, expected] of rows) {
    it(sentence, () => {
      const step = decide(given);
      assert.deepEqual({ ...step, ...expected }, step);
    });
  }
});
