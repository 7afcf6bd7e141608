import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CloudErrorCode } from "../../cloud/cloud.ts";
import type { DomainStatus } from "../custom-domains/custom-domain.ts";
import { describeDomain } from "./preview-domain.ts";

describe("the domain of previews, as users see it", () => {
  const rows: readonly (readonly [
    status: DomainStatus,
    refusal: CloudErrorCode | null,
    waitsFor: "user" | "slipway" | null,
    reason: RegExp | null,
  ])[] = [
    ["ATTACHED", null, null, null],
    ["ATTACHED", "THROTTLED", null, null],
    ["ATTACHED", "TOO_MANY_ROUTES", "user", /more services than [*].preview.example.com has room for.*max/],
    ["ATTACHING", "TOO_MANY_ROUTES", "slipway", /^Slipway attaches/],
    ["AWAITING_VERIFICATION_RECORDS_TO_BE_SET", null, "user", /^Set the DNS records/],
    ["ERROR_ATTACHING", null, "user", /cannot be attached[.]$/],
  ];
  for (const [status, refusal, waitsFor, reason] of rows)
    it(`${status}${refusal === null ? "" : `, with ${refusal}`}: it waits for ${waitsFor ?? "nothing"}`, () => {
      const shown = { name: "*.preview.example.com", status, isDesired: true, lastAttachmentError: null };
      const next = describeDomain(shown, refusal);
      assert.equal(next.waitsFor, waitsFor);
      if (reason === null) assert.equal(next.reason, null);
      else assert.match(next.reason ?? "", reason);
    });
});
